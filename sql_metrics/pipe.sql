-- Pipes inside the cores (MTE_IN, MTE1, CUBE, VECTOR_ALU, MTE_OUT, PIPE_S):
-- what they executed and how busy they were, where the simulator logged it.

INCLUDE PERFETTO MODULE pypto.run;

INCLUDE PERFETTO MODULE pypto.task;

-- Operations of the pipes.
CREATE PERFETTO TABLE pypto_pipe_op(
  -- Slice of the operation.
  slice_id JOINID(slice.id),
  -- Core, e.g. `AIC_3`.
  core STRING,
  -- Engine of the core: AIC, AIV or AICORE.
  engine STRING,
  -- Pipe, e.g. `CUBE`.
  pipe STRING,
  -- Code of the operation, e.g. `A_MUL_B`.
  op STRING,
  -- Start.
  ts TIMESTAMP,
  -- End.
  end_ts TIMESTAMP,
  -- Duration.
  dur DURATION
) AS
WITH
  op AS (
    SELECT
      s.id AS slice_id,
      extract_arg(s.arg_set_id, 'debug.core') AS core,
      t.name AS pipe,
      s.name AS op,
      s.ts,
      s.dur
    FROM slice AS s
    JOIN track AS t
      ON s.track_id = t.id
    WHERE
      s.category = 'pipe'
  )
SELECT
  slice_id,
  core,
  substr(core, 1, instr(core, '_') - 1) AS engine,
  pipe,
  op,
  ts,
  ts + dur AS end_ts,
  dur
FROM op
ORDER BY
  core,
  pipe,
  ts;

-- One row per engine and pipe that executed anything; no row without a log.
CREATE PERFETTO TABLE pypto_pipe_stats(
  -- Engine.
  engine STRING,
  -- Pipe.
  pipe STRING,
  -- Time in which the pipe was busy, over all cores; what overlaps on one pipe
  -- of a core counts once.
  busy DURATION,
  -- Part of the engine's core time, cores × makespan; NULL without a makespan.
  share DOUBLE,
  -- Number of operations.
  op_count LONG
) AS
WITH
  latest AS MATERIALIZED (
    SELECT
      engine,
      pipe,
      ts,
      end_ts,
      max(end_ts) OVER (
        PARTITION BY core, pipe
        ORDER BY ts, end_ts, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS busy_until
    FROM pypto_pipe_op
  )
SELECT
  l.engine,
  l.pipe,
  sum(max(l.end_ts - max(l.ts, coalesce(l.busy_until, l.ts)), 0)) AS busy,
  sum(max(l.end_ts - max(l.ts, coalesce(l.busy_until, l.ts)), 0))
  * 1.0
  / nullif(
    (
      SELECT
        core_count
      FROM pypto_core_count AS c
      WHERE
        c.engine = l.engine
    )
    * (
      SELECT
        dur
      FROM pypto_span
    ),
    0
  ) AS share,
  count() AS op_count
FROM latest AS l
GROUP BY
  l.engine,
  l.pipe
ORDER BY
  l.engine,
  l.pipe;
