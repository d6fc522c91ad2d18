-- The run as its trace states it: facts, cores and findings of the conversion.
-- A trace holds them as arguments of its slice of category `run`. Options
-- given later (core counts, thresholds) come as a further such slice with
-- these arguments alone: the last one that has an argument counts.

-- Arguments of the run.
CREATE PERFETTO TABLE _pypto_run_arg AS
SELECT
  id,
  flat_key,
  key,
  int_value,
  string_value
FROM (
  SELECT
    a.id,
    a.flat_key,
    a.key,
    a.int_value,
    a.string_value,
    row_number() OVER (PARTITION BY a.key ORDER BY s.id DESC) AS place
  FROM args AS a
  JOIN slice AS s
    USING (arg_set_id)
  WHERE
    s.category = 'run'
)
WHERE
  place = 1
ORDER BY
  flat_key,
  id;

-- Facts of the run that are single values: format, clock, origin, thresholds.
CREATE PERFETTO TABLE pypto_run_fact(
  -- Name of the fact, e.g. `format`, `clock_hz` or `small_task_ns`.
  key STRING,
  -- The value when it is a text.
  text STRING,
  -- The value when it is a number.
  number LONG
) AS
SELECT
  substr(key, length('debug.') + 1) AS key,
  string_value AS text,
  int_value AS number
FROM _pypto_run_arg
WHERE
  key = flat_key AND NOT key GLOB 'debug.*.*' AND key GLOB 'debug.*'
ORDER BY
  key;

-- Cores named in the file, idle ones included.
CREATE PERFETTO TABLE pypto_core(
  -- Name of the core, e.g. `AIC_3`.
  core STRING,
  -- Engine of the core: AIC (cube), AIV (vector) or AICORE (both).
  engine STRING,
  -- Number of the core within its engine.
  number LONG
) AS
SELECT
  string_value AS core,
  substr(string_value, 1, instr(string_value, '_') - 1) AS engine,
  CAST(substr(string_value, instr(string_value, '_') + 1) AS INTEGER) AS number
FROM _pypto_run_arg
WHERE
  flat_key = 'debug.cores'
ORDER BY
  core;

-- Number of cores per engine that every ratio is based on (m in the formulas).
CREATE PERFETTO TABLE pypto_core_count(
  -- Engine: AIC, AIV or AICORE.
  engine STRING,
  -- Number of cores; where it comes from is the fact `core_counts_from`.
  core_count LONG
) AS
SELECT
  substr(key, length('debug.core_count.') + 1) AS engine,
  int_value AS core_count
FROM _pypto_run_arg
WHERE
  key GLOB 'debug.core_count.*' AND int_value > 0
ORDER BY
  engine;

-- What the conversion dropped, moved, repaired or found suspicious.
CREATE PERFETTO TABLE _pypto_import_finding AS
SELECT
  CAST(regexp_extract(key, '\[([0-9]+)\]') AS INTEGER) AS position,
  max(iif(flat_key = 'debug.findings.code', string_value, NULL)) AS code,
  max(iif(flat_key = 'debug.findings.severity', string_value, NULL))
    AS severity,
  max(iif(flat_key = 'debug.findings.message', string_value, NULL)) AS message,
  max(iif(flat_key = 'debug.findings.count', int_value, NULL)) AS count,
  max(iif(flat_key = 'debug.findings.examples', string_value, NULL))
    AS examples
FROM _pypto_run_arg
WHERE
  flat_key GLOB 'debug.findings.*'
GROUP BY
  position
ORDER BY
  position;

-- Tasks shorter than this are small.
CREATE PERFETTO FUNCTION _pypto_small_task_ns()
RETURNS LONG AS
SELECT
  number
FROM pypto_run_fact
WHERE
  key = 'small_task_ns';

-- Number of cores of all engines.
CREATE PERFETTO FUNCTION _pypto_core_total()
RETURNS LONG AS
SELECT
  sum(core_count)
FROM pypto_core_count;
