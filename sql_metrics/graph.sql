-- The dependency graph as graph scans want it, and the scans that several
-- modules run over it.

INCLUDE PERFETTO MODULE graphs.scan;

INCLUDE PERFETTO MODULE pypto.edge;

-- Edges as the graph scans want them.
CREATE PERFETTO VIEW _pypto_edge AS
SELECT
  src AS source_node_id,
  dst AS dest_node_id
FROM _pypto_in_edge;

-- Finish of each node if it starts as soon as all that lies before it has
-- ended, and its level. Partial when the edges form a cycle: see
-- _pypto_is_acyclic!.
CREATE PERFETTO MACRO _pypto_earliest_finish(
    -- Table (source_node_id, dest_node_id).
    edges TableOrSubquery,
    -- Nodes that no edge leads to: id.
    heads TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    id,
    finish,
    level
  FROM _graph_aggregating_scan!(
    $edges,
    (
      SELECT n.id, n.weight AS finish, 0 AS level
      FROM $heads
      JOIN _pypto_node AS n USING (id)
    ),
    (finish, level),
    -- Grouped before the join: nodes are fewer than edges.
    (
      SELECT t.id, t.start + n.weight AS finish, t.level
      FROM (
        SELECT id, max(finish) AS start, max(level) + 1 AS level
        FROM $table
        GROUP BY id
      ) AS t
      JOIN _pypto_node AS n USING (id)
    )
  )
);

-- Whether $edges form no cycle, judged by the levels that a scan gave: one
-- over a cyclic graph may return every node, so they are checked edge by edge.
CREATE PERFETTO MACRO _pypto_is_acyclic(
    -- Table (id, finish, level) of the nodes reached.
    finish TableOrSubquery,
    -- Table (source_node_id, dest_node_id).
    edges TableOrSubquery
)
RETURNS Expr AS
(
  (SELECT count() FROM $finish) = (SELECT count() FROM _pypto_node)
  AND NOT EXISTS (
    SELECT 1
    FROM $edges AS e
    JOIN $finish AS a
      ON a.id = e.source_node_id
    JOIN $finish AS b
      ON b.id = e.dest_node_id
    WHERE
      b.level <= a.level
  )
);
