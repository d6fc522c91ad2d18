-- The zero-gap replay: the same tasks on the same cores in the same order,
-- each starting as soon as its predecessors and the task before it on its core
-- have ended. What it takes longer than the busiest core is due to
-- dependencies; what the run takes longer than it is due to late starts.

INCLUDE PERFETTO MODULE pypto.critical_path;

-- Dependencies, and the order on each core.
CREATE PERFETTO TABLE _pypto_replay_edge AS
SELECT
  source_node_id,
  dest_node_id
FROM _pypto_edge
UNION
SELECT
  source_node_id,
  dest_node_id
FROM (
  SELECT
    lag(id) OVER (PARTITION BY core ORDER BY ts, end_ts, id) AS source_node_id,
    id AS dest_node_id
  FROM _pypto_core_step
)
WHERE
  source_node_id IS NOT NULL
ORDER BY
  source_node_id;

-- Finish of each node in the replay.
CREATE PERFETTO TABLE _pypto_replay AS
SELECT
  id,
  finish,
  level
FROM _pypto_earliest_finish!(_pypto_replay_edge)
ORDER BY
  id;

-- Makespan of the replay: one row; NULL when the order on the cores
-- contradicts the dependencies (backward edges) or the dependencies have a
-- cycle.
CREATE PERFETTO TABLE pypto_zero_gap(
  -- Makespan.
  dur DURATION
) AS
SELECT
  iif(
    _pypto_is_acyclic!(_pypto_replay, _pypto_replay_edge),
    max(finish),
    NULL
  ) AS dur
FROM _pypto_replay;
