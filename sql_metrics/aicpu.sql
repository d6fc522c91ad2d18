-- The AICPU: control, schedulers and the core side, phase by phase, where the
-- file has them.

INCLUDE PERFETTO MODULE pypto.task;

-- Phases of the AICPU threads.
CREATE PERFETTO TABLE pypto_aicpu_phase(
  -- Slice of the phase.
  slice_id JOINID(slice.id),
  -- Thread, e.g. `AICPU-CTRL-0` or `SCHED1-AIC-3`.
  thread STRING,
  -- Phase, e.g. `DEV_TASK_BUILD`.
  phase STRING,
  -- Round of the run.
  round LONG,
  -- Device task, where the phase belongs to one.
  dev_task LONG,
  -- Start.
  ts TIMESTAMP,
  -- Duration.
  dur DURATION
) AS
SELECT
  s.id AS slice_id,
  t.name AS thread,
  s.name AS phase,
  extract_arg(s.arg_set_id, 'debug.round') AS round,
  extract_arg(s.arg_set_id, 'debug.dev_task') AS dev_task,
  s.ts,
  s.dur
FROM slice AS s
JOIN track AS t
  ON s.track_id = t.id
WHERE
  s.category = 'aicpu'
ORDER BY
  thread,
  s.ts;

-- Time of the control threads; NULL without AICPU data.
CREATE PERFETTO FUNCTION _pypto_control_time()
RETURNS LONG AS
SELECT
  sum(dur)
FROM pypto_aicpu_phase
WHERE
  thread GLOB 'AICPU-CTRL*';

-- Time of each AICPU phase, per thread, round and device task.
CREATE PERFETTO TABLE pypto_aicpu_stats(
  -- Thread.
  thread STRING,
  -- Phase.
  phase STRING,
  -- Round of the run.
  round STRING,
  -- Device task; '' where the phase belongs to none.
  dev_task STRING,
  -- Time.
  time DURATION,
  -- Phases of this name.
  count LONG
) AS
SELECT
  thread,
  phase,
  CAST(round AS TEXT) AS round,
  coalesce(CAST(dev_task AS TEXT), '') AS dev_task,
  sum(dur) AS time,
  count() AS count
FROM pypto_aicpu_phase
GROUP BY
  thread,
  phase,
  round,
  dev_task
ORDER BY
  thread,
  min(ts);

-- Time around the tasks, from the AICPU's first phase to its last; no row
-- without AICPU data or without tasks.
CREATE PERFETTO TABLE pypto_aicpu_overhead(
  -- First start of a task minus first start of a phase.
  head DURATION,
  -- Last end of a phase minus last end of a task.
  tail DURATION
) AS
SELECT
  s.ts - min(p.ts) AS head,
  max(p.ts + p.dur) - s.end_ts AS tail
FROM pypto_aicpu_phase AS p
JOIN pypto_span AS s
GROUP BY
  s.ts;
