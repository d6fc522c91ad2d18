-- The run in one row, and the tables that the metric specs join.

INCLUDE PERFETTO MODULE pypto.aicpu;

INCLUDE PERFETTO MODULE pypto.critical_path;

INCLUDE PERFETTO MODULE pypto.efficiency;

INCLUDE PERFETTO MODULE pypto.graham;

INCLUDE PERFETTO MODULE pypto.log;

INCLUDE PERFETTO MODULE pypto.log_bridge;

-- The run as a whole: one row, none for a trace without a task.
CREATE PERFETTO TABLE pypto_run_stats(
  -- From the first start to the last end of a task ("AICore End-to-End Time").
  makespan DURATION,
  -- Tasks on cores.
  task_count LONG,
  -- Hub tasks: no work, but they pass dependencies on.
  hub_count LONG,
  -- Distinct dependencies, those of hubs included.
  dependency_count LONG,
  -- Pairs of tasks whose consumer started before its producer ended.
  backward_dependency_count LONG,
  -- Static critical path; NULL when the dependencies have a cycle.
  critical_path DURATION,
  -- No schedule on these cores can be faster, ns: the critical path, or the
  -- work per core of the busiest engine.
  lower_bound DOUBLE,
  -- makespan / lower_bound, at least 1.
  headroom DOUBLE,
  -- Task time / critical path: cores that the dependencies can keep busy.
  average_parallelism DOUBLE,
  -- Makespan of the same schedule (placement and order) without gaps; NULL
  -- when the order on the cores contradicts the dependencies.
  zero_gap_makespan DURATION,
  -- AICPU control time / (AICPU control time + task time); NULL without AICPU
  -- data.
  control_overhead DOUBLE
) AS
WITH
  work AS MATERIALIZED (
    SELECT
      s.engine,
      sum(s.total) AS dur,
      CAST(sum(s.total) AS DOUBLE) / m.core_count AS per_core
    FROM _pypto_core_sum AS s
    JOIN pypto_core_count AS m
      USING (engine)
    GROUP BY
      s.engine
  ),
  bound AS MATERIALIZED (
    SELECT
      p.dur AS critical_path,
      max(CAST(p.dur AS DOUBLE), (SELECT max(per_core) FROM work))
        AS lower_bound
    FROM pypto_static_path AS p
  )
SELECT
  s.dur AS makespan,
  (SELECT count() FROM _pypto_task) AS task_count,
  _pypto_hub_count() AS hub_count,
  (SELECT count() FROM pypto_dependency) AS dependency_count,
  (SELECT count() FROM pypto_backward_dependency) AS backward_dependency_count,
  b.critical_path,
  b.lower_bound,
  s.dur / nullif(b.lower_bound, 0) AS headroom,
  (SELECT CAST(sum(dur) AS DOUBLE) FROM work) / nullif(b.critical_path, 0)
    AS average_parallelism,
  z.dur AS zero_gap_makespan,
  CAST(_pypto_control_time() AS DOUBLE) / nullif(
    _pypto_control_time() + (SELECT sum(dur) FROM work),
    0
  ) AS control_overhead
FROM pypto_span AS s
JOIN bound AS b
JOIN pypto_zero_gap AS z;

-- Time split and log figures of each core, as the metric spec lists them.
CREATE PERFETTO VIEW _pypto_core_metrics AS
SELECT
  s.*,
  l.core_total_work AS log_core_total_work,
  l.total_wait AS log_total_wait,
  l.wait_schedule AS log_wait_schedule,
  l.wait_predecessor AS log_wait_predecessor
FROM pypto_core_stats AS s
JOIN pypto_log_core AS l
  USING (core);

-- Everything that a reader of the numbers must know about the input: what the
-- conversion dropped, moved or repaired, and what the graph shows.
CREATE PERFETTO TABLE pypto_finding(
  -- Stable code, e.g. `duplicate-dependency`.
  code STRING,
  -- `error`, `warning` or `info`.
  severity STRING,
  -- One sentence for people.
  message STRING,
  -- How often.
  count LONG,
  -- Up to three places, joined by `; `.
  examples STRING
) AS
SELECT
  code,
  severity,
  message,
  count,
  coalesce(examples, '') AS examples
FROM _pypto_import_finding
UNION ALL
SELECT
  'backward-dependency' AS code,
  'warning' AS severity,
  'consumers start before their producer ends: kept in the graph, '
    || 'never followed in time' AS message,
  count() AS count,
  (
    SELECT
      group_concat(t.task || ' -> ' || u.task, '; ')
    FROM (
      SELECT src, dst FROM pypto_backward_dependency
      ORDER BY overlap DESC, dst, src LIMIT 3
    ) AS b
    JOIN pypto_task AS t ON t.id = b.src
    JOIN pypto_task AS u ON u.id = b.dst
  ) AS examples
FROM pypto_backward_dependency
HAVING
  count() > 0
UNION ALL
SELECT
  'dependency-cycle' AS code,
  'error' AS severity,
  'the dependencies form a cycle: metrics that need an acyclic graph '
    || 'are absent' AS message,
  1 AS count,
  _pypto_cycle_text() AS examples
WHERE
  NOT _pypto_is_dag()
UNION ALL
SELECT
  'idle-while-ready' AS code,
  'info' AS severity,
  'the run is longer than any schedule that never idles beside ready work: see'
    || ' starved' AS message,
  1 AS count,
  _pypto_starved_text() AS examples
FROM pypto_graham
WHERE
  is_exceeded
UNION ALL
SELECT
  'log-differs' AS code,
  'warning' AS severity,
  'bubble_analysis.log beside the input prints other figures of the core than '
    || 'its own rules give here' AS message,
  count() AS count,
  (
    SELECT group_concat(text, '; ')
    FROM (SELECT text FROM _pypto_log_problem ORDER BY core LIMIT 3)
  ) AS examples
FROM _pypto_log_problem
HAVING
  count() > 0;
