-- What a reader of the numbers must know about the input.

INCLUDE PERFETTO MODULE pypto.graham;

INCLUDE PERFETTO MODULE pypto.log_check;

INCLUDE PERFETTO MODULE pypto.static_path;

INCLUDE PERFETTO MODULE pypto.task;

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
      group_concat(
        t.task || ' -> ' || u.task, '; '
        ORDER BY b.overlap DESC, b.dst, b.src
      )
    FROM (
      SELECT src, dst, overlap FROM pypto_backward_dependency
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
  cycle_text AS examples
FROM _pypto_graph
WHERE
  NOT is_dag
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
