-- Tasks: what the cores executed. Hubs and off-core tasks (AI-CPU) are nodes
-- of the dependency graph, but no work of a core.

INCLUDE PERFETTO MODULE pypto.run;

-- The file's own id of a node. Facts that are loaded for SQL alone leave out
-- the text where it follows from the numbers.
CREATE PERFETTO MACRO _pypto_task_id(
  -- Arguments of the node's slice.
  arg_set_id Expr
)
RETURNS Expr AS
coalesce(
  extract_arg($arg_set_id, 'debug.task'),
  extract_arg($arg_set_id, 'debug.seq')
    || '-'
    || extract_arg($arg_set_id, 'debug.func')
    || '-'
    || extract_arg($arg_set_id, 'debug.op')
);

-- Every node of the dependency graph with its facts; `id` is dense from 0, in
-- the order of the file.
CREATE PERFETTO TABLE _pypto_node AS
SELECT
  extract_arg(s.arg_set_id, 'debug.id') AS id,
  s.id AS slice_id,
  s.category AS kind,
  s.name,
  t.name AS lane,
  s.ts,
  s.ts + s.dur AS end_ts,
  s.dur,
  -- Only tasks on cores weigh on the critical path.
  iif(s.category = 'task', s.dur, 0) AS weight,
  s.arg_set_id
FROM slice AS s
JOIN track AS t
  ON s.track_id = t.id
WHERE
  s.category IN ('task', 'hub', 'off_core')
ORDER BY
  id;

-- The node of each set of arguments.
CREATE PERFETTO TABLE _pypto_node_of_args AS
SELECT
  arg_set_id,
  id
FROM _pypto_node
ORDER BY
  arg_set_id;

-- Tasks on cores, with the facts that most queries read: taking one out of the
-- arguments costs more than a join.
CREATE PERFETTO TABLE _pypto_task AS
SELECT
  n.id,
  n.slice_id,
  n.name,
  n.lane AS core,
  substr(n.lane, 1, instr(n.lane, '_') - 1) AS engine,
  n.ts,
  n.end_ts,
  n.dur,
  extract_arg(n.arg_set_id, 'debug.seq') AS seq,
  coalesce(
    extract_arg(n.arg_set_id, 'debug.leaf_hash'),
    extract_arg(n.arg_set_id, 'debug.root_index')
      || '-'
      || extract_arg(n.arg_set_id, 'debug.psg_id')
  ) AS subgraph,
  extract_arg(n.arg_set_id, 'debug.label') AS label,
  n.arg_set_id
FROM _pypto_node AS n
WHERE
  n.kind = 'task'
ORDER BY
  n.id;

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
  id,
  slice_id,
  _pypto_task_id!(arg_set_id) AS task,
  name,
  core,
  engine,
  ts,
  end_ts,
  dur,
  seq,
  extract_arg(arg_set_id, 'debug.func') AS func,
  extract_arg(arg_set_id, 'debug.op') AS op,
  subgraph,
  label,
  extract_arg(arg_set_id, 'debug.dispatch_ns') AS dispatch_ts,
  extract_arg(arg_set_id, 'debug.finish_ns') AS finish_ts
FROM _pypto_task;

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
FROM pypto_task
HAVING
  count() > 0;

-- Number of hub nodes.
CREATE PERFETTO FUNCTION _pypto_hub_count()
RETURNS LONG AS
SELECT
  count()
FROM _pypto_node
WHERE
  kind = 'hub';
