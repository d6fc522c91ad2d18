-- The AICPU's share in scheduling waits, where the file has its times: was the
-- task handed out late, or did its core start it late?

INCLUDE PERFETTO MODULE pypto.core;

INCLUDE PERFETTO MODULE pypto.task;

-- Tasks whose dispatch was recorded, with their scheduling wait cut in two; no
-- rows where the file has no dispatch times.
CREATE PERFETTO TABLE pypto_dispatch(
  -- Dense id of the task.
  id LONG,
  -- Core that executed it.
  core STRING,
  -- Engine of the core.
  engine STRING,
  -- When its last predecessor had ended.
  ready_ts TIMESTAMP,
  -- When the AICPU handed it to its core; often long before it was ready.
  dispatch_ts TIMESTAMP,
  -- When the core started it.
  ts TIMESTAMP,
  -- 1 for the first task of its core, whose wait counts as startup.
  is_first LONG,
  -- The core was idle and the task ready, but not handed out.
  dispatched_late DURATION,
  -- The core was idle and the task handed out and ready, but not started.
  -- The two are the whole scheduling wait before the task.
  started_late DURATION,
  -- From the end of the task until the AICPU noticed; NULL if not recorded.
  -- Nothing that depends on the task can be dispatched in this time.
  noticed_late DURATION
) AS
SELECT
  p.id,
  p.core,
  p.engine,
  p.ready_ts,
  t.dispatch_ts,
  p.ts,
  iif(p.is_startup, 1, 0) AS is_first,
  min(max(t.dispatch_ts, p.cut_ts), p.ts) - p.cut_ts AS dispatched_late,
  p.ts - min(max(t.dispatch_ts, p.cut_ts), p.ts) AS started_late,
  t.finish_ts - t.end_ts AS noticed_late
FROM _pypto_core_piece AS p
JOIN pypto_task AS t
  USING (id)
WHERE
  t.dispatch_ts IS NOT NULL
ORDER BY
  p.id;

-- Sums per engine, and over all engines; no rows where the file has no
-- dispatch times.
CREATE PERFETTO TABLE pypto_dispatch_stats(
  -- Engine, or `all`.
  engine STRING,
  -- Tasks whose dispatch was recorded.
  task_count LONG,
  -- Scheduling waits between tasks until the dispatch. With `started_late` the
  -- engine's `wait_schedule`, if every dispatch was recorded.
  dispatched_late DURATION,
  -- Scheduling waits between tasks from the dispatch on.
  started_late DURATION,
  -- The same before the cores' first tasks, until the dispatch.
  startup_dispatched_late DURATION,
  -- The same before the cores' first tasks, from the dispatch on.
  startup_started_late DURATION,
  -- Time until the AICPU noticed ends, summed over tasks; NULL if not
  -- recorded.
  noticed_late DURATION
) AS
WITH
  labelled AS (
    SELECT * FROM pypto_dispatch
    UNION ALL
    SELECT
      id,
      core,
      'all' AS engine,
      ready_ts,
      dispatch_ts,
      ts,
      is_first,
      dispatched_late,
      started_late,
      noticed_late
    FROM pypto_dispatch
  )
SELECT
  engine,
  count() AS task_count,
  sum(iif(is_first, 0, dispatched_late)) AS dispatched_late,
  sum(iif(is_first, 0, started_late)) AS started_late,
  sum(iif(is_first, dispatched_late, 0)) AS startup_dispatched_late,
  sum(iif(is_first, started_late, 0)) AS startup_started_late,
  sum(noticed_late) AS noticed_late
FROM labelled
GROUP BY
  engine
ORDER BY
  engine = 'all' DESC,
  engine;
