-- Where the time of each core went: work, and gaps by cause.

INCLUDE PERFETTO MODULE pypto.core_step;

INCLUDE PERFETTO MODULE pypto.dependency;

-- The task before each on its core, by the tasks' ids; NULL for the first.
CREATE PERFETTO TABLE _pypto_core_prev AS
SELECT
  id,
  prev_id
FROM _pypto_core_step
ORDER BY
  id;

-- Sums over the tasks of each core that executed any.
CREATE PERFETTO TABLE _pypto_core_sum AS
SELECT
  core,
  min(engine) AS engine,
  count() AS task_count,
  sum(end_ts - ts) AS total,
  sum(max(end_ts - work_ts, 0)) AS busy,
  sum(iif(is_startup, ts - free_ts, 0)) AS startup,
  sum(iif(is_startup, 0, max(cut_ts - free_ts, 0))) AS wait_predecessor,
  sum(iif(is_startup, 0, ts - cut_ts)) AS wait_schedule,
  max(end_ts) AS end_ts
FROM _pypto_core_piece
GROUP BY
  core
ORDER BY
  core;

-- Time split of each core. busy + startup + wait_predecessor + wait_schedule
-- + tail + idle is the makespan, exactly.
CREATE PERFETTO TABLE pypto_core_stats(
  -- Name of the core.
  core STRING,
  -- Engine of the core.
  engine STRING,
  -- Tasks that it executed.
  task_count LONG,
  -- Time with at least one task: the union of their intervals (AicoreTime).
  busy DURATION,
  -- Before the first task.
  startup DURATION,
  -- Gaps in which the next task still waited for a producer.
  wait_predecessor DURATION,
  -- Gaps in which the next task was ready.
  wait_schedule DURATION,
  -- After the last task.
  tail DURATION,
  -- The makespan, for a core without any task.
  idle DURATION,
  -- Sum of task durations beyond `busy`: tasks that ran at the same time.
  overlap DURATION
) AS
SELECT
  c.core,
  c.engine,
  coalesce(s.task_count, 0) AS task_count,
  coalesce(s.busy, 0) AS busy,
  coalesce(s.startup, 0) AS startup,
  coalesce(s.wait_predecessor, 0) AS wait_predecessor,
  coalesce(s.wait_schedule, 0) AS wait_schedule,
  coalesce((SELECT end_ts FROM pypto_span) - s.end_ts, 0) AS tail,
  iif(s.core IS NULL, coalesce((SELECT dur FROM pypto_span), 0), 0) AS idle,
  coalesce(s.total - s.busy, 0) AS overlap
FROM pypto_core AS c
LEFT JOIN _pypto_core_sum AS s
  USING (core)
ORDER BY
  c.engine,
  c.number;

-- Bubbles: each moment at which a core executed nothing, with its cause.
CREATE PERFETTO VIEW pypto_bubble(
  -- Core that stood idle.
  core STRING,
  -- Engine of the core.
  engine STRING,
  -- Start.
  ts TIMESTAMP,
  -- Duration.
  dur DURATION,
  -- `startup_predecessor` or `startup_schedule` before the core's first task,
  -- `wait_predecessor` (a producer was still running) or `wait_schedule` (the
  -- next task was ready) between tasks, `tail` after the last one, `idle` for
  -- a core without any.
  cause STRING,
  -- Next task on the core; NULL in the tail.
  next_id LONG,
  -- Node that the next task waited for longest; NULL if it waited for none.
  blocked_by LONG
) AS
SELECT
  core,
  engine,
  free_ts AS ts,
  cut_ts - free_ts AS dur,
  iif(is_startup, 'startup_predecessor', 'wait_predecessor') AS cause,
  id AS next_id,
  ready_by AS blocked_by
FROM _pypto_core_piece
WHERE
  cut_ts > free_ts
UNION ALL
SELECT
  core,
  engine,
  cut_ts AS ts,
  ts - cut_ts AS dur,
  iif(is_startup, 'startup_schedule', 'wait_schedule') AS cause,
  id AS next_id,
  ready_by AS blocked_by
FROM _pypto_core_piece
WHERE
  ts > cut_ts
UNION ALL
SELECT
  s.core,
  s.engine,
  span.end_ts - s.tail AS ts,
  s.tail AS dur,
  'tail' AS cause,
  NULL AS next_id,
  NULL AS blocked_by
FROM pypto_core_stats AS s
JOIN pypto_span AS span
WHERE
  s.tail > 0
UNION ALL
SELECT
  s.core,
  s.engine,
  span.ts,
  s.idle AS dur,
  'idle' AS cause,
  NULL AS next_id,
  NULL AS blocked_by
FROM pypto_core_stats AS s
JOIN pypto_span AS span
WHERE
  s.idle > 0
ORDER BY
  core,
  ts;
