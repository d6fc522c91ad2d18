-- The zero-gap replay: the same tasks on the same cores in the same order,
-- each starting as soon as its predecessors and the task before it on its core
-- have ended. What it takes longer than the busiest core is due to
-- dependencies; what the run takes longer than it is due to late starts.

INCLUDE PERFETTO MODULE pypto.core;

INCLUDE PERFETTO MODULE pypto.graph;

-- Dependencies, and the order on each core; what is both comes twice.
CREATE PERFETTO VIEW _pypto_replay_edge AS
SELECT
  source_node_id,
  dest_node_id
FROM _pypto_edge
UNION ALL
SELECT
  prev_id AS source_node_id,
  id AS dest_node_id
FROM _pypto_core_prev
WHERE
  prev_id IS NOT NULL;

-- Finish of each node in the replay.
CREATE PERFETTO TABLE _pypto_replay AS
SELECT
  id,
  finish,
  level
FROM _pypto_earliest_finish!(
  _pypto_replay_edge,
  (
    SELECT n.id
    FROM _pypto_node AS n
    LEFT JOIN _pypto_direct AS d USING (id)
    LEFT JOIN _pypto_core_prev AS p USING (id)
    WHERE d.id IS NULL AND p.prev_id IS NULL
  )
)
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
