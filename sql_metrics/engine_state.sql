-- Engines as a whole: what became of their core time, in sum and stretch by
-- stretch.

INCLUDE PERFETTO MODULE pypto.engine_profile;

-- Core time per engine: busy + starved + blocked + drained is core_count times
-- the makespan, exactly.
CREATE PERFETTO TABLE _pypto_engine_time AS
SELECT
  engine,
  sum(busy) AS busy,
  sum(starved) AS starved,
  sum(blocked) AS blocked,
  sum(drained) AS drained
FROM _pypto_engine_slot
GROUP BY
  engine
ORDER BY
  engine;

-- Each engine, and `all` for the run, paired with the engines that it sums.
CREATE PERFETTO VIEW _pypto_engine_group AS
SELECT
  engine AS grp,
  engine
FROM pypto_core_count
UNION ALL
SELECT
  'all' AS grp,
  engine
FROM pypto_core_count;

-- The same for `all` engines, too, with the share of the core time that was
-- busy.
CREATE PERFETTO TABLE _pypto_engine_total AS
SELECT
  g.grp,
  sum(c.core_count) AS core_count,
  sum(e.busy) AS busy,
  sum(e.starved) AS starved,
  sum(e.blocked) AS blocked,
  sum(e.drained) AS drained,
  CAST(sum(e.busy) AS DOUBLE)
    / nullif(sum(c.core_count) * (SELECT dur FROM pypto_span), 0)
    AS utilization
FROM _pypto_engine_group AS g
JOIN pypto_core_count AS c
  USING (engine)
LEFT JOIN _pypto_engine_time AS e
  USING (engine)
GROUP BY
  g.grp
ORDER BY
  g.grp;

-- What dominated each slot of time, slots of the same kind joined: the story
-- of the engine in a few slices.
CREATE PERFETTO TABLE pypto_engine_state(
  -- Engine.
  engine STRING,
  -- Start.
  ts TIMESTAMP,
  -- Duration.
  dur DURATION,
  -- `busy`, `starved`, `blocked` or `drained`: the largest share of core time.
  state STRING,
  -- Core time with a task.
  busy DURATION,
  -- Idle core time for which a ready task existed.
  starved DURATION,
  -- Other idle core time while tasks of the engine had yet to start.
  blocked DURATION,
  -- Idle core time after the engine's last task started.
  drained DURATION
) AS
WITH
  slot AS MATERIALIZED (
    SELECT
      *,
      CASE max(busy, starved, blocked, drained)
        WHEN busy THEN 'busy'
        WHEN starved THEN 'starved'
        WHEN blocked THEN 'blocked'
        ELSE 'drained'
      END AS state
    FROM _pypto_engine_slot
    WHERE
      dur > 0
  ),
  marked AS MATERIALIZED (
    SELECT
      *,
      state != lag(state, 1, '') OVER engine_order AS is_new
    FROM slot
    WINDOW
      engine_order AS (PARTITION BY engine ORDER BY slot)
  ),
  numbered AS MATERIALIZED (
    SELECT
      *,
      sum(is_new) OVER (PARTITION BY engine ORDER BY slot) AS part
    FROM marked
  )
SELECT
  engine,
  min(ts) AS ts,
  sum(dur) AS dur,
  min(state) AS state,
  sum(busy) AS busy,
  sum(starved) AS starved,
  sum(blocked) AS blocked,
  sum(drained) AS drained
FROM numbered
GROUP BY
  engine,
  part
ORDER BY
  engine,
  ts;
