-- A bubble_analysis.log beside the input: what it prints, and whether that is
-- what its own rules (pypto.log) give on this input. Empty without a log.

INCLUDE PERFETTO MODULE pypto.core;

INCLUDE PERFETTO MODULE pypto.log;

-- What the log prints, in whole ns; one row per core.
CREATE PERFETTO TABLE pypto_log_printed(
  -- Name of the core.
  core STRING,
  -- `Execute task num`.
  task_count LONG,
  -- `Core Total Work Time`.
  core_total_work DURATION,
  -- `Total Wait Time`.
  total_wait DURATION,
  -- `Wait Schedule Time`.
  wait_schedule DURATION,
  -- `Wait Predecessor Time`.
  wait_predecessor DURATION
) AS
SELECT
  max(iif(flat_key = 'debug.log.core', string_value, NULL)) AS core,
  max(iif(flat_key = 'debug.log.task_count', int_value, NULL)) AS task_count,
  max(iif(flat_key = 'debug.log.core_total_work', int_value, NULL))
    AS core_total_work,
  max(iif(flat_key = 'debug.log.total_wait', int_value, NULL)) AS total_wait,
  max(iif(flat_key = 'debug.log.wait_schedule', int_value, NULL))
    AS wait_schedule,
  max(iif(flat_key = 'debug.log.wait_predecessor', int_value, NULL))
    AS wait_predecessor
FROM _pypto_run_arg
WHERE
  flat_key GLOB 'debug.log.*'
GROUP BY
  CAST(regexp_extract(key, '\[([0-9]+)\]') AS INTEGER)
ORDER BY
  core;

-- The rows of $source, once for each figure of the log, in its order.
CREATE PERFETTO MACRO _pypto_log_by_figure(
    -- Table with the four figures as columns.
    source TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    *,
    0 AS figure_place,
    'core_total_work' AS figure,
    core_total_work AS value
  FROM $source
  UNION ALL
  SELECT *, 1 AS figure_place, 'total_wait' AS figure, total_wait AS value
  FROM $source
  UNION ALL
  SELECT
    *,
    2 AS figure_place,
    'wait_schedule' AS figure,
    wait_schedule AS value
  FROM $source
  UNION ALL
  SELECT
    *,
    3 AS figure_place,
    'wait_predecessor' AS figure,
    wait_predecessor AS value
  FROM $source
);

-- Printed minus given by the log's own rules. A stamp of the input is within
-- 1 ns of the script's float: that is the rounding that a figure may have for
-- each stamp in it, and 1 ns more for the figure as printed.
CREATE PERFETTO TABLE _pypto_log_off AS
SELECT
  l.core,
  l.engine,
  l.task_count,
  p.task_count AS printed_task_count,
  p.core_total_work - l.core_total_work AS core_total_work,
  p.total_wait - l.total_wait AS total_wait,
  p.wait_schedule - l.wait_schedule AS wait_schedule,
  p.wait_predecessor - l.wait_predecessor AS wait_predecessor,
  2 * min(l.task_count, 1) + 1 AS work_rounding,
  2 * l.task_count + 1 AS wait_rounding
FROM pypto_log_core AS l
JOIN pypto_log_printed AS p
  USING (core)
ORDER BY
  l.core;

-- How much earlier the log's clock starts than anything in the input: by what
-- span and wait of most cores are longer, 0 if they aren't. Of several hubs
-- with one id the merged file keeps the last alone, but the log saw them.
CREATE PERFETTO FUNCTION _pypto_log_lost_start()
RETURNS LONG AS
SELECT
  coalesce(max(iif(2 * votes > voters, amount, 0)), 0)
FROM (
  SELECT
    CAST(round(avg(b.core_total_work)) AS INTEGER) AS amount,
    count() AS votes,
    (SELECT count() FROM _pypto_log_off WHERE task_count > 0) AS voters
  FROM _pypto_log_off AS a
  JOIN _pypto_log_off AS b
    ON abs(a.core_total_work - b.core_total_work) <= a.work_rounding
  WHERE
    a.task_count > 0
    AND b.task_count > 0
    AND a.core_total_work > a.work_rounding
    AND abs(a.core_total_work - a.total_wait)
      <= a.work_rounding + a.wait_rounding
  GROUP BY
    a.core
  ORDER BY
    votes DESC,
    amount
  LIMIT 1
);

-- How much of the difference is the lost start: the log has it in the wait
-- before the first task, whose cause is that of the larger difference.
CREATE PERFETTO TABLE _pypto_log_lost AS
SELECT
  o.core,
  o.engine,
  s.lost * min(o.task_count, 1) AS core_total_work,
  s.lost * min(o.task_count, 1) AS total_wait,
  iif(o.wait_schedule > o.wait_predecessor, s.lost * min(o.task_count, 1), 0)
    AS wait_schedule,
  iif(o.wait_schedule > o.wait_predecessor, 0, s.lost * min(o.task_count, 1))
    AS wait_predecessor
FROM _pypto_log_off AS o
JOIN (SELECT _pypto_log_lost_start() AS lost) AS s
ORDER BY
  o.core;

-- What remains of the difference.
CREATE PERFETTO TABLE _pypto_log_rest AS
SELECT
  o.core,
  o.engine,
  o.core_total_work - s.core_total_work AS core_total_work,
  o.total_wait - s.total_wait AS total_wait,
  o.wait_schedule - s.wait_schedule AS wait_schedule,
  o.wait_predecessor - s.wait_predecessor AS wait_predecessor
FROM _pypto_log_off AS o
JOIN _pypto_log_lost AS s
  USING (core)
ORDER BY
  o.core;

-- The log's times as a multiple of those of the input: 1, unless PyPTO's
-- script or the user took another frequency of the counter.
CREATE PERFETTO FUNCTION _pypto_log_clock_factor()
RETURNS DOUBLE AS
SELECT
  CAST(sum(p.core_total_work) AS DOUBLE) / nullif(sum(l.core_total_work), 0)
FROM pypto_log_core AS l
JOIN pypto_log_printed AS p
  USING (core);

-- Whether the log's own rules give what it prints; cores without a task on
-- either side are left out where only one of log and input names them.
CREATE PERFETTO TABLE pypto_log_check(
  -- Name of the core.
  core STRING,
  -- Engine of the core.
  engine STRING,
  -- Its tasks by the log; NULL if the log lacks the core.
  printed_task_count LONG,
  -- Its tasks in the input; NULL if the input lacks the core.
  task_count LONG,
  -- `reproduced`: they do, but for a start that the input lost and rounding.
  -- `task_count`: the log counts other tasks. `clock`: all its times are the
  -- same multiple of those here. `negative_duration`: the input has such, and
  -- they count as 0 here. `unknown`: no reason is known, perhaps the log is of
  -- another run. `not_in_log`, `not_in_input`.
  status STRING
) AS
SELECT
  o.core,
  o.engine,
  o.printed_task_count,
  o.task_count,
  CASE
    WHEN o.printed_task_count != o.task_count THEN 'task_count'
    WHEN
      abs(r.core_total_work) <= o.work_rounding
      AND abs(r.total_wait) <= o.wait_rounding
      AND abs(r.wait_schedule) <= o.wait_rounding
      AND abs(r.wait_predecessor) <= o.wait_rounding
      THEN 'reproduced'
    WHEN
      f.factor NOT BETWEEN 0.9 AND 1.1
      AND abs(o.core_total_work - (f.factor - 1) * l.core_total_work)
        <= o.work_rounding * max(f.factor, 1)
      AND abs(o.total_wait - (f.factor - 1) * l.total_wait)
        <= o.wait_rounding * max(f.factor, 1)
      AND abs(o.wait_schedule - (f.factor - 1) * l.wait_schedule)
        <= o.wait_rounding * max(f.factor, 1)
      THEN 'clock'
    WHEN
      'negative-duration' IN (SELECT code FROM _pypto_import_finding)
      THEN 'negative_duration'
    ELSE 'unknown'
  END AS status
FROM _pypto_log_off AS o
JOIN _pypto_log_rest AS r
  USING (core)
JOIN pypto_log_core AS l
  USING (core)
JOIN (SELECT _pypto_log_clock_factor() AS factor) AS f
UNION ALL
SELECT
  p.core,
  substr(p.core, 1, instr(p.core, '_') - 1) AS engine,
  p.task_count AS printed_task_count,
  NULL AS task_count,
  'not_in_input' AS status
FROM pypto_log_printed AS p
WHERE
  p.task_count > 0 AND p.core NOT IN (SELECT core FROM pypto_core)
UNION ALL
SELECT
  s.core,
  s.engine,
  NULL AS printed_task_count,
  s.task_count,
  'not_in_log' AS status
FROM pypto_core_stats AS s
WHERE
  s.task_count > 0
  AND s.core NOT IN (SELECT core FROM pypto_log_printed)
  AND (SELECT count() FROM pypto_log_printed) > 0
ORDER BY
  core;

-- What is wrong with each core that isn't reproduced, in words.
CREATE PERFETTO TABLE _pypto_log_problem AS
SELECT
  c.core,
  CASE c.status
    WHEN 'not_in_log' THEN c.core || ' is not in the log'
    WHEN 'not_in_input' THEN c.core || ' is in the log alone'
    WHEN 'task_count'
      THEN c.core || ': ' || c.printed_task_count || ' tasks in the log, '
        || c.task_count || ' in the input'
    WHEN 'clock'
      THEN printf(
        '%s: the log has %.4g times the time',
        c.core,
        _pypto_log_clock_factor()
      )
    ELSE (
      SELECT
        printf('%s: %s is off by %.2f µs', r.core, r.figure, r.value / 1e3)
          || iif(
            c.status = 'negative_duration',
            ', for negative durations count as 0 here',
            ', as if the log were of another run'
          )
      FROM _pypto_log_by_figure!(_pypto_log_rest) AS r
      WHERE r.core = c.core
      ORDER BY abs(r.value) DESC
      LIMIT 1
    )
  END AS text
FROM pypto_log_check AS c
WHERE
  c.status != 'reproduced'
ORDER BY
  c.core;
