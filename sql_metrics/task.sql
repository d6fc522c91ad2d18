-- Tasks: what the cores executed. Hubs and off-core tasks (AI-CPU) are nodes
-- of the dependency graph, but no work of a core.

INCLUDE PERFETTO MODULE pypto.node;

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
