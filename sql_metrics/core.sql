-- Where the time of each core went: work, and gaps by cause.

INCLUDE PERFETTO MODULE pypto.dependency;

-- Tasks in the order of their core, with the running maximum of the ends
-- before (overlapping tasks count once) and the time at which the task was
-- ready.
CREATE PERFETTO TABLE _pypto_core_step AS
SELECT
  t.id,
  t.core,
  t.engine,
  t.seq,
  t.ts,
  t.end_ts,
  r.ready_ts,
  r.ready_by,
  max(t.end_ts) OVER (
    PARTITION BY t.core
    ORDER BY t.ts, t.end_ts, t.id
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS prev_end
FROM pypto_task AS t
JOIN pypto_ready AS r
  USING (id)
ORDER BY
  t.core,
  t.ts,
  t.end_ts,
  t.id;

-- Work of each task that no task before it on its core covers already: the
-- pieces of a core are disjoint and their sum is its busy time.
CREATE PERFETTO TABLE _pypto_busy_piece AS
SELECT
  id,
  core,
  engine,
  max(ts, coalesce(prev_end, ts)) AS ts,
  end_ts
FROM _pypto_core_step
WHERE
  end_ts > max(ts, coalesce(prev_end, ts))
ORDER BY
  core,
  ts;

-- Gaps before tasks, cut where the task became ready.
CREATE PERFETTO TABLE _pypto_gap AS
SELECT
  id,
  core,
  engine,
  prev_end IS NULL AS is_startup,
  coalesce(prev_end, (SELECT ts FROM pypto_span)) AS ts,
  ts AS end_ts,
  min(max(ready_ts, coalesce(prev_end, (SELECT ts FROM pypto_span))), ts)
    AS cut_ts,
  ready_by
FROM _pypto_core_step
WHERE
  ts > coalesce(prev_end, (SELECT ts FROM pypto_span))
ORDER BY
  core,
  ts;

-- Bubbles: each moment at which a core executed nothing, with its cause.
CREATE PERFETTO TABLE pypto_bubble(
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
  ts,
  cut_ts - ts AS dur,
  iif(is_startup, 'startup_predecessor', 'wait_predecessor') AS cause,
  id AS next_id,
  ready_by AS blocked_by
FROM _pypto_gap
WHERE
  cut_ts > ts
UNION ALL
SELECT
  core,
  engine,
  cut_ts AS ts,
  end_ts - cut_ts AS dur,
  iif(is_startup, 'startup_schedule', 'wait_schedule') AS cause,
  id AS next_id,
  ready_by AS blocked_by
FROM _pypto_gap
WHERE
  end_ts > cut_ts
UNION ALL
SELECT
  s.core,
  s.engine,
  max(s.end_ts) AS ts,
  span.end_ts - max(s.end_ts) AS dur,
  'tail' AS cause,
  NULL AS next_id,
  NULL AS blocked_by
FROM _pypto_core_step AS s
JOIN pypto_span AS span
GROUP BY
  s.core
HAVING
  max(s.end_ts) < span.end_ts
UNION ALL
SELECT
  c.core,
  c.engine,
  span.ts,
  span.dur,
  'idle' AS cause,
  NULL AS next_id,
  NULL AS blocked_by
FROM pypto_core AS c
JOIN pypto_span AS span
WHERE
  c.core NOT IN (SELECT core FROM _pypto_core_step) AND span.dur > 0
ORDER BY
  core,
  ts;

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
WITH
  work AS (
    SELECT
      core,
      count() AS task_count,
      sum(end_ts - ts) AS total
    FROM _pypto_core_step
    GROUP BY
      core
  ),
  busy AS (
    SELECT
      core,
      sum(end_ts - ts) AS busy
    FROM _pypto_busy_piece
    GROUP BY
      core
  ),
  lost AS (
    SELECT
      core,
      sum(iif(cause GLOB 'startup_*', dur, 0)) AS startup,
      sum(iif(cause = 'wait_predecessor', dur, 0)) AS wait_predecessor,
      sum(iif(cause = 'wait_schedule', dur, 0)) AS wait_schedule,
      sum(iif(cause = 'tail', dur, 0)) AS tail,
      sum(iif(cause = 'idle', dur, 0)) AS idle
    FROM pypto_bubble
    GROUP BY
      core
  )
SELECT
  c.core,
  c.engine,
  coalesce(w.task_count, 0) AS task_count,
  coalesce(b.busy, 0) AS busy,
  coalesce(l.startup, 0) AS startup,
  coalesce(l.wait_predecessor, 0) AS wait_predecessor,
  coalesce(l.wait_schedule, 0) AS wait_schedule,
  coalesce(l.tail, 0) AS tail,
  coalesce(l.idle, 0) AS idle,
  coalesce(w.total, 0) - coalesce(b.busy, 0) AS overlap
FROM pypto_core AS c
LEFT JOIN work AS w
  USING (core)
LEFT JOIN busy AS b
  USING (core)
LEFT JOIN lost AS l
  USING (core)
ORDER BY
  c.engine,
  c.number;
