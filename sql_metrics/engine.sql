-- Engines: the headline figures of each, and of all together.

INCLUDE PERFETTO MODULE pypto.efficiency;

INCLUDE PERFETTO MODULE pypto.engine_state;

INCLUDE PERFETTO MODULE pypto.log;

-- Headline figures per engine, and for `all` engines.
CREATE PERFETTO TABLE pypto_engine_stats(
  -- Engine, or `all`.
  engine STRING,
  -- Cores that the ratios are based on.
  core_count LONG,
  -- Cores that executed a task.
  used_core_count LONG,
  -- Tasks.
  task_count LONG,
  -- Core time with a task.
  busy DURATION,
  -- busy / (core_count * makespan), 0..1.
  utilization DOUBLE,
  -- 1 - utilization: every idle moment.
  bubble_ratio DOUBLE,
  -- wait_schedule / (busy + wait_schedule) over all cores.
  schedule_bubble_ratio DOUBLE,
  -- The tuning guide's bubble rate, in the log's own terms: mean over the
  -- cores that ran a task of wait_schedule / (AicoreTime + wait_schedule).
  skill_bubble_rate DOUBLE,
  -- The tuning guide's core utilization: mean over the cores that ran a task
  -- of AicoreTime / (AicoreTime + total wait).
  skill_core_utilization DOUBLE,
  -- (max busy - min busy) / max busy over the cores that ran a task.
  aicore_time_spread DOUBLE,
  -- max busy / mean busy - 1 over the cores that ran a task.
  aicore_time_imbalance DOUBLE,
  -- Tasks shorter than the threshold.
  small_task_count LONG,
  -- Their share of the tasks, 0..1.
  small_task_share DOUBLE,
  -- Their share of the task time, 0..1.
  small_task_time_share DOUBLE,
  -- Idle core time for which a ready task existed: scheduling wait.
  starved DURATION,
  -- Other idle core time while tasks of the engine had yet to start:
  -- dependency wait.
  blocked DURATION,
  -- Idle core time after the engine's last task started: no more work.
  drained DURATION,
  -- mean busy / max busy over the cores that ran a task.
  load_balance DOUBLE,
  -- max busy / makespan without gaps: what dependencies cost.
  serialization DOUBLE,
  -- makespan without gaps / makespan: what late starts cost. The product of
  -- the three is the utilization of the cores that ran a task.
  dispatch DOUBLE
) AS
WITH
  core AS MATERIALIZED (
    SELECT
      g.grp,
      count() AS used_core_count,
      sum(s.wait_schedule) AS wait_schedule,
      max(s.busy) AS max_busy,
      min(s.busy) AS min_busy,
      sum(s.busy) AS busy,
      avg(
        CAST(l.wait_schedule AS DOUBLE) / nullif(
          l.core_total_work - l.total_wait + l.wait_schedule,
          0
        )
      ) AS skill_bubble_rate,
      avg(
        CAST(l.core_total_work - l.total_wait AS DOUBLE)
          / nullif(l.core_total_work, 0)
      ) AS skill_core_utilization
    FROM _pypto_engine_group AS g
    JOIN pypto_core_stats AS s
      USING (engine)
    JOIN pypto_log_core AS l
      USING (core)
    WHERE
      s.task_count > 0
    GROUP BY
      g.grp
  ),
  engine_task AS MATERIALIZED (
    SELECT
      engine,
      count() AS task_count,
      sum(dur) AS dur,
      sum(dur < (SELECT _pypto_small_task_ns())) AS small_task_count,
      sum(iif(dur < (SELECT _pypto_small_task_ns()), dur, 0))
        AS small_task_time
    FROM _pypto_task
    GROUP BY
      engine
  ),
  task AS MATERIALIZED (
    SELECT
      g.grp,
      sum(t.task_count) AS task_count,
      sum(t.dur) AS dur,
      sum(t.small_task_count) AS small_task_count,
      sum(t.small_task_time) AS small_task_time
    FROM _pypto_engine_group AS g
    JOIN engine_task AS t
      USING (engine)
    GROUP BY
      g.grp
  )
SELECT
  n.grp AS engine,
  n.core_count,
  coalesce(c.used_core_count, 0) AS used_core_count,
  coalesce(t.task_count, 0) AS task_count,
  n.busy,
  n.utilization,
  CAST(n.core_count * (SELECT dur FROM pypto_span) - n.busy AS DOUBLE)
    / nullif(n.core_count * (SELECT dur FROM pypto_span), 0) AS bubble_ratio,
  CAST(c.wait_schedule AS DOUBLE) / nullif(c.busy + c.wait_schedule, 0)
    AS schedule_bubble_ratio,
  c.skill_bubble_rate,
  c.skill_core_utilization,
  CAST(c.max_busy - c.min_busy AS DOUBLE) / nullif(c.max_busy, 0)
    AS aicore_time_spread,
  CAST(c.max_busy * c.used_core_count - c.busy AS DOUBLE) / nullif(c.busy, 0)
    AS aicore_time_imbalance,
  coalesce(t.small_task_count, 0) AS small_task_count,
  CAST(t.small_task_count AS DOUBLE) / nullif(t.task_count, 0)
    AS small_task_share,
  CAST(t.small_task_time AS DOUBLE) / nullif(t.dur, 0)
    AS small_task_time_share,
  n.starved,
  n.blocked,
  n.drained,
  CAST(c.busy AS DOUBLE) / nullif(c.max_busy * c.used_core_count, 0)
    AS load_balance,
  CAST(c.max_busy AS DOUBLE) / nullif(z.dur, 0) AS serialization,
  CAST(z.dur AS DOUBLE) / nullif((SELECT dur FROM pypto_span), 0) AS dispatch
FROM _pypto_engine_total AS n
JOIN pypto_zero_gap AS z
LEFT JOIN core AS c
  USING (grp)
LEFT JOIN task AS t
  USING (grp)
ORDER BY
  n.grp != 'all',
  n.grp;
