-- The figures of PyPTO's bubble_analysis.log, by its own rules, so that a
-- reader of the log finds the numbers that they know. Tasks go in file order,
-- the invented end of a hub counts as a predecessor's end, the wait before the
-- first task counts and the tail doesn't. Negative values are the log's own.

INCLUDE PERFETTO MODULE pypto.core;

-- Start of the log's clock: the earliest start over all lanes but Fake Core.
CREATE PERFETTO FUNCTION _pypto_log_start()
RETURNS LONG AS
SELECT
  min(ts)
FROM _pypto_node
WHERE
  NOT lane GLOB 'Fake Core*';

-- Tasks as the log orders them, with the latest end of what lies directly
-- before them.
CREATE PERFETTO TABLE _pypto_log_task AS
SELECT
  t.id,
  t.core,
  t.ts,
  t.end_ts,
  max(coalesce(e.end_ts, 0), _pypto_log_start()) AS ready_ts
FROM _pypto_task AS t
-- CROSS: the engine sorts the tasks, not SQLite the joined rows.
CROSS JOIN _pypto_last_before AS b
  USING (id)
LEFT JOIN _pypto_end AS e
  ON e._auto_id = b.any_place
ORDER BY
  t.core,
  t.id;

-- Waits of each task as the log counts them. The task before it on its core is
-- the row above: a join, for windows take three times as long.
CREATE PERFETTO VIEW _pypto_log_wait AS
SELECT
  id,
  core,
  end_ts - ts AS dur,
  prev_end,
  ready_ts,
  ts - prev_end AS total_wait,
  ts - max(prev_end, ready_ts) AS wait_schedule
FROM (
  SELECT
    t.id,
    t.core,
    t.ts,
    t.end_ts,
    t.ready_ts,
    iif(p.core = t.core, p.end_ts, _pypto_log_start()) AS prev_end
  FROM _pypto_log_task AS t
  LEFT JOIN _pypto_log_task AS p
    ON p._auto_id = t._auto_id - 1
);

-- One row per core, as in the log.
CREATE PERFETTO TABLE pypto_log_core(
  -- Name of the core.
  core STRING,
  -- Engine of the core.
  engine STRING,
  -- `Execute task num`.
  task_count LONG,
  -- `Core Total Work Time`: the last end minus the log's start; a span.
  core_total_work DURATION,
  -- `Total Wait Time`.
  total_wait DURATION,
  -- `Wait Schedule Time`.
  wait_schedule DURATION,
  -- `Wait Predecessor Time`.
  wait_predecessor DURATION
) AS
WITH
  sums AS MATERIALIZED (
    SELECT
      core,
      count() AS task_count,
      -- Waits and durations telescope to the end of the file's last task.
      sum(dur + total_wait) AS core_total_work,
      sum(total_wait) AS total_wait,
      sum(wait_schedule) AS wait_schedule
    FROM _pypto_log_wait
    GROUP BY
      core
  )
SELECT
  c.core,
  c.engine,
  coalesce(s.task_count, 0) AS task_count,
  coalesce(s.core_total_work, 0) AS core_total_work,
  coalesce(s.total_wait, 0) AS total_wait,
  coalesce(s.wait_schedule, 0) AS wait_schedule,
  coalesce(s.total_wait - s.wait_schedule, 0) AS wait_predecessor
FROM pypto_core AS c
LEFT JOIN sums AS s
  USING (core)
ORDER BY
  c.core;

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
