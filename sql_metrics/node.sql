-- Nodes and edges of the dependency graph, in one of the two forms that a
-- trace has them in. A trace for people has a slice for each node, with its
-- facts as arguments. One that is loaded for SQL alone has columns: JSON
-- arrays, by the nodes' ids, as arguments of a single slice. These are read in
-- a fifth of the time.

INCLUDE PERFETTO MODULE pypto.run;

-- Values of a column, in its order; none where the trace has no such column.
CREATE PERFETTO MACRO _pypto_column(
  -- Name of the argument.
  name Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    item.value
  FROM slice AS s
  JOIN json_each(extract_arg(s.arg_set_id, $name)) AS item
  WHERE
    s.category = 'columns'
);

-- Start of each node. In this column and the next ones the row number,
-- `_auto_id`, is the node's id.
CREATE PERFETTO TABLE _pypto_column_start AS
SELECT value FROM _pypto_column!('debug.start');

-- End of each node.
CREATE PERFETTO TABLE _pypto_column_end AS
SELECT value FROM _pypto_column!('debug.end');

-- Device task of each node.
CREATE PERFETTO TABLE _pypto_column_seq AS
SELECT value FROM _pypto_column!('debug.seq');

-- Which row of `_pypto_column_traits` a node has.
CREATE PERFETTO TABLE _pypto_column_trait AS
SELECT value FROM _pypto_column!('debug.trait');

-- What many nodes are alike in, once for them all.
CREATE PERFETTO TABLE _pypto_column_traits AS
SELECT
  value ->> 0 AS kind,
  value ->> 1 AS lane,
  value ->> 2 AS name,
  value ->> 3 AS subgraph,
  value ->> 4 AS label
FROM _pypto_column!('debug.traits');

-- Edges: consumer * 2^32 + producer, sorted.
CREATE PERFETTO TABLE _pypto_column_edge AS
SELECT value FROM _pypto_column!('debug.edges');

-- The slice of each node, where nodes have slices.
CREATE PERFETTO TABLE _pypto_node_slice AS
SELECT
  extract_arg(s.arg_set_id, 'debug.id') AS id,
  s.id AS slice_id,
  s.arg_set_id
FROM slice AS s
WHERE
  s.category IN ('task', 'hub', 'off_core')
ORDER BY
  id;

-- The node of each set of arguments.
CREATE PERFETTO TABLE _pypto_node_of_args AS
SELECT
  arg_set_id,
  id
FROM _pypto_node_slice
ORDER BY
  arg_set_id;

-- Every node of the dependency graph with the facts that most queries read;
-- `id` is dense from 0, in the order of the file.
CREATE PERFETTO TABLE _pypto_node AS
SELECT
  n.id,
  n.slice_id,
  n.arg_set_id,
  s.category AS kind,
  t.name AS lane,
  s.name,
  coalesce(
    extract_arg(n.arg_set_id, 'debug.leaf_hash'),
    extract_arg(n.arg_set_id, 'debug.root_index')
      || '-'
      || extract_arg(n.arg_set_id, 'debug.psg_id')
  ) AS subgraph,
  extract_arg(n.arg_set_id, 'debug.label') AS label,
  extract_arg(n.arg_set_id, 'debug.seq') AS seq,
  s.ts,
  s.ts + s.dur AS end_ts,
  s.dur,
  -- Only tasks on cores weigh on the critical path.
  iif(s.category = 'task', s.dur, 0) AS weight
FROM _pypto_node_slice AS n
-- CROSS: the nodes in front, in their order; so below.
CROSS JOIN slice AS s
  ON s.id = n.slice_id
CROSS JOIN track AS t
  ON t.id = s.track_id
UNION ALL
SELECT
  s._auto_id AS id,
  NULL AS slice_id,
  NULL AS arg_set_id,
  a.kind,
  a.lane,
  a.name,
  a.subgraph,
  a.label,
  q.value AS seq,
  s.value AS ts,
  e.value AS end_ts,
  e.value - s.value AS dur,
  iif(a.kind = 'task', e.value - s.value, 0) AS weight
FROM _pypto_column_start AS s
CROSS JOIN _pypto_column_end AS e
  ON e._auto_id = s._auto_id
CROSS JOIN _pypto_column_seq AS q
  ON q._auto_id = s._auto_id
CROSS JOIN _pypto_column_trait AS t
  ON t._auto_id = s._auto_id
CROSS JOIN _pypto_column_traits AS a
  ON a._auto_id = t.value;

-- The edges as the arguments have them, sorted.
CREATE PERFETTO TABLE _pypto_edge_of_args AS
SELECT
  a.int_value AS src,
  n.id AS dst
FROM args AS a
JOIN _pypto_node_of_args AS n
  USING (arg_set_id)
WHERE
  a.flat_key = 'debug.deps'
ORDER BY
  dst,
  src;

-- Every edge of the dependency graph, sorted by consumer and producer.
CREATE PERFETTO VIEW _pypto_node_edge AS
SELECT
  src,
  dst
FROM _pypto_edge_of_args
UNION ALL
SELECT
  value & 0xffffffff AS src,
  value >> 32 AS dst
FROM _pypto_column_edge;

-- Tasks on cores, with the facts that most queries read.
CREATE PERFETTO VIEW _pypto_task AS
SELECT
  id,
  slice_id,
  arg_set_id,
  name,
  lane AS core,
  substr(lane, 1, instr(lane, '_') - 1) AS engine,
  ts,
  end_ts,
  dur,
  seq,
  subgraph,
  label
FROM _pypto_node
WHERE
  kind = 'task';

-- First start and last end over the tasks; no row without a task.
CREATE PERFETTO TABLE pypto_span(
  -- Earliest start of a task (T0).
  ts TIMESTAMP,
  -- Latest end of a task (T1).
  end_ts TIMESTAMP,
  -- Makespan: T1 - T0.
  dur DURATION
) AS
SELECT
  min(ts) AS ts,
  max(end_ts) AS end_ts,
  max(end_ts) - min(ts) AS dur
FROM _pypto_task
HAVING
  count() > 0;
