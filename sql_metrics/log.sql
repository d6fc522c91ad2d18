-- The figures of PyPTO's bubble_analysis.log, by its own rules, so that a
-- reader of the log finds the numbers that they know. Tasks go in file order,
-- the invented end of a hub counts as a predecessor's end, the wait before the
-- first task counts and the tail doesn't. Negative values are the log's own.

INCLUDE PERFETTO MODULE pypto.dependency;

-- Start of the log's clock: the earliest start over all lanes but Fake Core.
CREATE PERFETTO FUNCTION _pypto_log_start()
RETURNS LONG AS
SELECT
  min(ts)
FROM _pypto_node
WHERE
  NOT lane GLOB 'Fake Core*';

-- Waits of each task as the log counts them.
CREATE PERFETTO TABLE _pypto_log_task AS
WITH
  start AS MATERIALIZED (
    SELECT _pypto_log_start() AS ts
  ),
  latest AS MATERIALIZED (
    SELECT
      dst AS id,
      max(end_ts) AS end_ts
    FROM _pypto_in_edge
    GROUP BY
      dst
  ),
  step AS MATERIALIZED (
    SELECT
      t.id,
      t.core,
      t.engine,
      t.ts,
      t.end_ts,
      coalesce(
        lag(t.end_ts) OVER (PARTITION BY t.core ORDER BY t.id),
        (SELECT ts FROM start)
      ) AS prev_end,
      max(coalesce(l.end_ts, 0), (SELECT ts FROM start)) AS ready_ts
    FROM pypto_task AS t
    LEFT JOIN latest AS l
      USING (id)
  )
SELECT
  id,
  core,
  engine,
  end_ts,
  end_ts - ts AS dur,
  ts - prev_end AS total_wait,
  ts - max(prev_end, ready_ts) AS wait_schedule
FROM step
ORDER BY
  core,
  id;

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
SELECT
  c.core,
  c.engine,
  count(t.id) AS task_count,
  -- Waits and durations telescope to the end of the last task in file order.
  coalesce(sum(t.dur + t.total_wait), 0) AS core_total_work,
  coalesce(sum(t.total_wait), 0) AS total_wait,
  coalesce(sum(t.wait_schedule), 0) AS wait_schedule,
  coalesce(sum(t.total_wait), 0) - coalesce(sum(t.wait_schedule), 0)
    AS wait_predecessor
FROM pypto_core AS c
LEFT JOIN _pypto_log_task AS t
  USING (core)
GROUP BY
  c.core
ORDER BY
  c.core;
