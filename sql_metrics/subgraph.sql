-- Isomorphic subgraphs: tasks that run the same code, per engine.

INCLUDE PERFETTO MODULE pypto.critical_path;

INCLUDE PERFETTO MODULE pypto.task;

-- One row per subgraph and engine.
CREATE PERFETTO TABLE pypto_subgraph_stats(
  -- Leaf hash, or `<root index>-<psg id>` where the file has none.
  leaf_hash STRING,
  -- Engine.
  engine STRING,
  -- Semantic label (the first in text order if there are several), else ''.
  label STRING,
  -- Tasks.
  task_count LONG,
  -- Sum of durations.
  total DURATION,
  -- Mean duration, ns.
  mean DOUBLE,
  -- Median duration, ns.
  median DOUBLE,
  -- 90th percentile of the durations, ns, interpolated.
  p90 DOUBLE,
  -- Shortest task.
  min DURATION,
  -- Longest task.
  max DURATION,
  -- Share of the run's task time, 0..1.
  time_share DOUBLE,
  -- Cores that executed it.
  core_count LONG,
  -- Its time on the observed critical path.
  critical_path_time DURATION,
  -- Whether its median is below the small-task threshold.
  is_small BOOL,
  -- Small, and at least two tasks for each core of its engine: worth merging.
  is_many_small BOOL
) AS
WITH
  on_path AS MATERIALIZED (
    SELECT
      t.subgraph,
      t.engine,
      sum(p.dur) AS dur
    FROM pypto_critical_path AS p
    JOIN pypto_task AS t
      USING (id)
    GROUP BY
      t.subgraph,
      t.engine
  ),
  stats AS MATERIALIZED (
    SELECT
      subgraph,
      engine,
      coalesce(min(label), '') AS label,
      count() AS task_count,
      sum(dur) AS total,
      avg(dur) AS mean,
      percentile(dur, 50) AS median,
      percentile(dur, 90) AS p90,
      min(dur) AS min,
      max(dur) AS max,
      count(DISTINCT core) AS core_count
    FROM pypto_task
    GROUP BY
      subgraph,
      engine
  )
SELECT
  s.subgraph AS leaf_hash,
  s.engine,
  s.label,
  s.task_count,
  s.total,
  s.mean,
  CAST(s.median AS DOUBLE) AS median,
  CAST(s.p90 AS DOUBLE) AS p90,
  s.min,
  s.max,
  CAST(s.total AS DOUBLE) / (
    SELECT nullif(sum(dur), 0)
    FROM pypto_task
  ) AS time_share,
  s.core_count,
  coalesce(p.dur, 0) AS critical_path_time,
  s.median < _pypto_small_task_ns() AS is_small,
  s.median < _pypto_small_task_ns() AND s.task_count >= 2 * (
    SELECT core_count
    FROM pypto_core_count AS m
    WHERE m.engine = s.engine
  ) AS is_many_small
FROM stats AS s
LEFT JOIN on_path AS p
  USING (subgraph, engine)
ORDER BY
  total DESC,
  leaf_hash,
  s.engine;
