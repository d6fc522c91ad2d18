-- Static critical path: the longest chain of dependencies, however the tasks
-- were scheduled; and whether they form a cycle.

INCLUDE PERFETTO MODULE pypto.graph;

INCLUDE PERFETTO MODULE pypto.task;

-- Earliest finish if nothing but dependencies delayed a node.
CREATE PERFETTO TABLE _pypto_forward AS
SELECT
  id,
  finish,
  level
FROM _pypto_earliest_finish!(
  _pypto_edge,
  (
    SELECT n.id
    FROM _pypto_node AS n
    LEFT JOIN _pypto_direct AS d USING (id)
    WHERE d.id IS NULL
  )
)
ORDER BY
  id;

-- Whether the dependencies form no cycle, and if they do, up to five tasks on
-- or behind one, for the message: one row.
CREATE PERFETTO TABLE _pypto_graph AS
WITH
  verdict AS MATERIALIZED (
    SELECT
      _pypto_is_acyclic!(_pypto_forward, _pypto_edge) AS is_dag
  )
SELECT
  is_dag,
  CASE WHEN NOT is_dag THEN (
    SELECT
      group_concat(task, '; ')
    FROM (
      SELECT DISTINCT
        _pypto_node_task!(n) AS task
      FROM _pypto_edge AS e
      LEFT JOIN _pypto_forward AS a
        ON a.id = e.source_node_id
      LEFT JOIN _pypto_forward AS b
        ON b.id = e.dest_node_id
      JOIN _pypto_node AS n
        ON n.id = e.dest_node_id
      WHERE
        b.level IS NULL OR a.level IS NULL OR b.level <= a.level
      ORDER BY
        e.dest_node_id
      LIMIT 5
    )
  ) END AS cycle_text
FROM verdict;

-- Length of the static critical path: the longest sum of task durations along
-- dependencies; hubs and off-core tasks weigh nothing. One row; the length is
-- NULL when the graph has a cycle.
CREATE PERFETTO TABLE pypto_static_path(
  -- Length.
  dur DURATION
) AS
SELECT
  iif((SELECT is_dag FROM _pypto_graph), max(finish), NULL) AS dur
FROM _pypto_forward;
