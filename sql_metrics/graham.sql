-- Graham's certificate: a scheduler that never leaves a core idle while work
-- for it is ready needs at most the work per core of all engines and a share
-- of the critical path. A longer run proves that some core stood idle beside
-- ready work.

INCLUDE PERFETTO MODULE pypto.core;

INCLUDE PERFETTO MODULE pypto.engine_state;

INCLUDE PERFETTO MODULE pypto.static_path;

-- One row; bound and verdict are NULL when the dependencies have a cycle.
CREATE PERFETTO TABLE pypto_graham(
  -- Makespan.
  makespan DURATION,
  -- Sum over engines of work per core + (1 - 1 / most cores of an engine) *
  -- static critical path, ns.
  bound DOUBLE,
  -- Whether the makespan exceeds the bound: proof of idling beside ready work.
  is_exceeded BOOL
) AS
WITH
  bound AS MATERIALIZED (
    SELECT
      (
        SELECT sum(CAST(dur AS DOUBLE) / core_count)
        FROM (
          SELECT s.engine, sum(s.total) AS dur, m.core_count
          FROM _pypto_core_sum AS s
          JOIN pypto_core_count AS m
            USING (engine)
          GROUP BY s.engine
        )
      ) + (1 - 1.0 / (SELECT max(core_count) FROM pypto_core_count)) * p.dur
        AS bound
    FROM pypto_static_path AS p
  )
SELECT
  s.dur AS makespan,
  b.bound,
  s.dur > b.bound AS is_exceeded
FROM pypto_span AS s
JOIN bound AS b;

-- The stretch with the most core time idle beside ready tasks.
CREATE PERFETTO FUNCTION _pypto_starved_text()
RETURNS STRING AS
SELECT
  printf(
    '%s from %.2f to %.2f µs: %.1f cores idle beside ready tasks on average',
    engine,
    ts / 1e3,
    (ts + dur) / 1e3,
    CAST(starved AS DOUBLE) / dur
  )
FROM pypto_engine_state
ORDER BY
  starved DESC,
  ts,
  engine
LIMIT 1;
