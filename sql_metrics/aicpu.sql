-- The AICPU: control, schedulers and the core side, phase by phase, where the
-- file has them.

INCLUDE PERFETTO MODULE pypto.run;

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
