-- The run in one row.

INCLUDE PERFETTO MODULE pypto.aicpu;

INCLUDE PERFETTO MODULE pypto.critical_path;

INCLUDE PERFETTO MODULE pypto.efficiency;

INCLUDE PERFETTO MODULE pypto.task;

-- The run as a whole: one row, none for a trace without a task.
CREATE PERFETTO TABLE pypto_run_stats(
  -- From the first start to the last end of a task ("AICore End-to-End Time").
  makespan DURATION,
  -- Tasks on cores.
  task_count LONG,
  -- Hub tasks: no work, but they pass dependencies on.
  hub_count LONG,
  -- Distinct dependencies, those of hubs included.
  dependency_count LONG,
  -- Pairs of tasks whose consumer started before its producer ended.
  backward_dependency_count LONG,
  -- Static critical path; NULL when the dependencies have a cycle.
  critical_path DURATION,
  -- No schedule on these cores can be faster, ns: the critical path, or the
  -- work per core of the busiest engine.
  lower_bound DOUBLE,
  -- makespan / lower_bound, at least 1.
  headroom DOUBLE,
  -- Task time / critical path: cores that the dependencies can keep busy.
  average_parallelism DOUBLE,
  -- Makespan of the same schedule (placement and order) without gaps; NULL
  -- when the order on the cores contradicts the dependencies.
  zero_gap_makespan DURATION,
  -- AICPU control time / (AICPU control time + task time); NULL without AICPU
  -- data.
  control_overhead DOUBLE
) AS
SELECT
  s.dur AS makespan,
  (SELECT count() FROM _pypto_task) AS task_count,
  _pypto_hub_count() AS hub_count,
  (SELECT count() FROM pypto_dependency) AS dependency_count,
  (SELECT count() FROM pypto_backward_dependency) AS backward_dependency_count,
  b.critical_path,
  b.lower_bound,
  b.headroom,
  CAST(b.work AS DOUBLE) / nullif(b.critical_path, 0) AS average_parallelism,
  z.dur AS zero_gap_makespan,
  CAST(_pypto_control_time() AS DOUBLE)
    / nullif(_pypto_control_time() + b.work, 0) AS control_overhead
FROM pypto_span AS s
JOIN _pypto_bound AS b
JOIN pypto_zero_gap AS z;
