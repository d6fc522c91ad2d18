-- What-if: predicted makespans of variants of the run. Predictions, not
-- measurements: each changes one thing and leaves the rest as it was.

INCLUDE PERFETTO MODULE pypto.critical_path;

INCLUDE PERFETTO MODULE pypto.efficiency;

INCLUDE PERFETTO MODULE pypto.prediction;

-- Subgraphs with predictions over all engines, with the time that they have on
-- the path.
CREATE PERFETTO TABLE _pypto_whole_subgraph AS
WITH
  on_path AS MATERIALIZED (
    SELECT
      t.subgraph,
      sum(p.dur) AS dur
    FROM pypto_critical_path AS p
    JOIN _pypto_task AS t
      USING (id)
    GROUP BY
      t.subgraph
  ),
  stats AS MATERIALIZED (
    SELECT
      subgraph,
      count() AS task_count,
      percentile(dur, 50) AS median
    FROM _pypto_task
    WHERE
      subgraph IN (SELECT subgraph FROM _pypto_prediction)
    GROUP BY
      subgraph
  )
SELECT
  s.subgraph,
  s.task_count,
  s.median < _pypto_small_task_ns() AS is_small,
  coalesce(p.dur, 0) AS path_time
FROM stats AS s
LEFT JOIN on_path AS p
  USING (subgraph)
ORDER BY
  s.subgraph;

-- One row per scenario.
CREATE PERFETTO TABLE pypto_what_if(
  -- `zero-gap`: no task starts late; `infinite-cores`: only dependencies
  -- count; `list-schedule`: highest level first on the same cores;
  -- `faster:<leaf>`: a subgraph's tasks take 10 % less; `fused:<leaf>:N`: its
  -- tasks are fused in groups of N where they follow each other on a core, and
  -- the gaps inside a group are saved. The last two keep all other gaps as
  -- they were.
  scenario STRING,
  -- Predicted makespan.
  makespan DURATION,
  -- Makespan of the run minus the predicted one.
  saved DURATION
) AS
WITH
  faster AS MATERIALIZED (
    SELECT
      p.subgraph,
      p.makespan
    FROM _pypto_prediction AS p
    JOIN _pypto_whole_subgraph AS s
      USING (subgraph)
    WHERE
      p.scenario = 'faster' AND s.path_time > 0
    ORDER BY
      s.path_time DESC,
      p.subgraph
    LIMIT 5
  ),
  -- Subgraphs without a fusable pair have no prediction.
  fusable AS MATERIALIZED (
    SELECT
      p.subgraph
    FROM _pypto_prediction AS p
    JOIN _pypto_whole_subgraph AS s
      USING (subgraph)
    WHERE
      p.scenario = 'fused:2' AND s.is_small
    ORDER BY
      s.task_count DESC,
      p.subgraph
    LIMIT 3
  ),
  variant AS MATERIALIZED (
    SELECT 'zero-gap' AS scenario, dur AS makespan FROM pypto_zero_gap
    UNION ALL
    SELECT 'infinite-cores' AS scenario, dur AS makespan
    FROM pypto_static_path
    UNION ALL
    SELECT scenario, makespan
    FROM _pypto_prediction
    WHERE scenario = 'list-schedule'
    UNION ALL
    SELECT 'faster:' || subgraph AS scenario, makespan FROM faster
    UNION ALL
    SELECT
      'fused:' || p.subgraph || substr(p.scenario, length('fused') + 1)
        AS scenario,
      p.makespan
    FROM _pypto_prediction AS p
    JOIN fusable
      USING (subgraph)
    WHERE
      p.scenario GLOB 'fused:*'
  )
SELECT
  v.scenario,
  v.makespan,
  s.dur - v.makespan AS saved
FROM variant AS v
JOIN pypto_span AS s
WHERE
  v.makespan IS NOT NULL
ORDER BY
  saved DESC,
  v.scenario;
