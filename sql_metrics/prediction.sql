-- Predictions that SQL can't make: made when the run was converted, or beside
-- the SQL of a run that is only measured.

INCLUDE PERFETTO MODULE pypto.run;

-- Predicted makespans (ns), in the order in which they were made.
CREATE PERFETTO TABLE _pypto_prediction AS
SELECT
  CAST(regexp_extract(key, '\[([0-9]+)\]') AS INTEGER) AS position,
  max(iif(flat_key = 'debug.predictions.scenario', string_value, NULL))
    AS scenario,
  max(iif(flat_key = 'debug.predictions.subgraph', string_value, NULL))
    AS subgraph,
  max(iif(flat_key = 'debug.predictions.makespan', int_value, NULL))
    AS makespan
FROM _pypto_run_arg
WHERE
  flat_key GLOB 'debug.predictions.*'
GROUP BY
  position
ORDER BY
  position;
