-- Tasks: what the cores executed. Hubs and off-core tasks (AI-CPU) are nodes
-- of the dependency graph, but no work of a core.

INCLUDE PERFETTO MODULE pypto.node;

-- Function of each node.
CREATE PERFETTO TABLE _pypto_column_func AS
SELECT value FROM _pypto_column!('debug.func');

-- Operation of each node.
CREATE PERFETTO TABLE _pypto_column_op AS
SELECT value FROM _pypto_column!('debug.op');

-- The file's own id of each node, where it isn't made of these three.
CREATE PERFETTO TABLE _pypto_column_task AS
SELECT value FROM _pypto_column!('debug.task');

-- When the AICPU handed each node to its core.
CREATE PERFETTO TABLE _pypto_column_dispatch AS
SELECT value FROM _pypto_column!('debug.dispatch_ns');

-- When the AICPU noticed the end of each node.
CREATE PERFETTO TABLE _pypto_column_finish AS
SELECT value FROM _pypto_column!('debug.finish_ns');

-- A fact of a node that few queries read, from where it is.
CREATE PERFETTO MACRO _pypto_node_fact(
  -- The node: row of `_pypto_node`.
  node Expr,
  -- Name of its argument.
  name Expr,
  -- Its column.
  column TableOrSubquery
)
RETURNS Expr AS
coalesce(
  extract_arg($node.arg_set_id, $name),
  (SELECT c.value FROM $column AS c WHERE c._auto_id = $node.id)
);

-- The file's own id of a node.
CREATE PERFETTO MACRO _pypto_node_task(
  -- The node: row of `_pypto_node`.
  node Expr
)
RETURNS Expr AS
coalesce(
  _pypto_node_fact!($node, 'debug.task', _pypto_column_task),
  $node.seq
    || '-'
    || _pypto_node_fact!($node, 'debug.func', _pypto_column_func)
    || '-'
    || _pypto_node_fact!($node, 'debug.op', _pypto_column_op)
);

-- Tasks on cores.
CREATE PERFETTO VIEW pypto_task(
  -- Dense id of the task, in the order of the file; ids of hubs lie between.
  id LONG,
  -- Slice of the task.
  slice_id JOINID(slice.id),
  -- `seq-func-op`, the id that PyPTO prints, or the simpler runtime's `r1t3`:
  -- the executions of one task on several cores share it.
  task STRING,
  -- Name of the slice: the semantic label, else the subgraph's number.
  name STRING,
  -- Core that executed the task, e.g. `AIC_3`.
  core STRING,
  -- Engine of the core: AIC, AIV or AICORE.
  engine STRING,
  -- Start.
  ts TIMESTAMP,
  -- End.
  end_ts TIMESTAMP,
  -- Duration.
  dur DURATION,
  -- Device task (stitch batch).
  seq LONG,
  -- Function of the device task.
  func LONG,
  -- Operation of the function.
  op LONG,
  -- Subgraph: the leaf hash, or `<root index>-<psg id>` where there is none.
  subgraph STRING,
  -- Semantic label, if any.
  label STRING,
  -- When the AICPU handed the task to its core; NULL where not recorded.
  dispatch_ts TIMESTAMP,
  -- When the AICPU noticed the task's end; NULL where not recorded.
  finish_ts TIMESTAMP
) AS
SELECT
  t.id,
  t.slice_id,
  _pypto_node_task!(t) AS task,
  t.name,
  t.core,
  t.engine,
  t.ts,
  t.end_ts,
  t.dur,
  t.seq,
  _pypto_node_fact!(t, 'debug.func', _pypto_column_func) AS func,
  _pypto_node_fact!(t, 'debug.op', _pypto_column_op) AS op,
  t.subgraph,
  t.label,
  _pypto_node_fact!(t, 'debug.dispatch_ns', _pypto_column_dispatch)
    AS dispatch_ts,
  _pypto_node_fact!(t, 'debug.finish_ns', _pypto_column_finish) AS finish_ts
FROM _pypto_task AS t;

-- Number of hub nodes.
CREATE PERFETTO FUNCTION _pypto_hub_count()
RETURNS LONG AS
SELECT
  count()
FROM _pypto_node
WHERE
  kind = 'hub';
