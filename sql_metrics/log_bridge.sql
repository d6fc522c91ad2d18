-- From the figures that a bubble_analysis.log beside the input prints to the
-- figures of this package, core by core and reason by reason: the amounts of
-- a figure's reasons add up to the whole difference, exactly. Empty without a
-- log.
--
-- Two steps lead there. What is printed may differ from what the log's own
-- rules give on this input (pypto.log_check); and these rules differ from the
-- ones used here.

INCLUDE PERFETTO MODULE pypto.log_check;

-- Each task's wait, from the log's to ours: each column has one rule of ours
-- more than the one before.
CREATE PERFETTO TABLE _pypto_log_chain AS
SELECT
  core,
  engine,
  is_first,
  -- All of the wait: the log's; with our T0; with our order; never negative.
  total_wait AS log_wait,
  ts - own_prev AS clock_wait,
  ts - before_end AS order_wait,
  max(ts - prev_end, 0) AS own_wait,
  -- What of it is the scheduler's: the log's; with our T0; with our order;
  -- with the real tasks behind hubs; with overlaps counted once; never
  -- negative.
  wait_schedule AS log_schedule,
  ts - max(own_prev, hub_ready) AS clock_schedule,
  ts - max(before_end, hub_ready) AS order_schedule,
  ts - max(before_end, ready_ts) AS hub_schedule,
  max(ts - prev_end, 0) - max(ready_ts - prev_end, 0) AS overlap_schedule,
  max(max(ts - prev_end, 0) - max(ready_ts - prev_end, 0), 0) AS own_schedule
FROM (
  SELECT
    t.core,
    t.engine,
    t.ts,
    l.total_wait,
    l.wait_schedule,
    max(l.prev_end, span.ts) AS own_prev,
    l.ready_ts AS hub_ready,
    r.ready_ts,
    coalesce(lag(t.end_ts) OVER core_order, span.ts) AS before_end,
    coalesce(
      max(t.end_ts) OVER (
        PARTITION BY t.core
        ORDER BY t.ts, t.end_ts, t.id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ),
      span.ts
    ) AS prev_end,
    lag(t.id) OVER core_order IS NULL AS is_first
  FROM _pypto_log_wait AS l
  JOIN _pypto_task AS t
    USING (id)
  JOIN pypto_ready AS r
    USING (id)
  JOIN pypto_span AS span
  WHERE
    t.core IN (SELECT core FROM pypto_log_printed)
  WINDOW core_order AS (PARTITION BY t.core ORDER BY t.ts, t.end_ts, t.id)
)
ORDER BY
  core;

-- By how much each rule changes a core's whole wait, and what of it is the
-- scheduler's; and what of our wait is apart, as start-up.
CREATE PERFETTO TABLE _pypto_log_rule AS
SELECT
  core,
  engine,
  sum(clock_wait - log_wait) AS early_start,
  sum(clock_schedule - log_schedule) AS early_start_schedule,
  sum(order_wait - clock_wait) AS file_order,
  sum(order_schedule - clock_schedule) AS file_order_schedule,
  sum(hub_schedule - order_schedule) AS hub_schedule,
  sum(own_wait - order_wait) AS overlap,
  sum(overlap_schedule - hub_schedule) AS overlap_schedule,
  sum(own_schedule - overlap_schedule) AS backward_schedule,
  sum(iif(is_first, own_wait, 0)) AS startup,
  sum(iif(is_first, own_schedule, 0)) AS startup_schedule
FROM _pypto_log_chain
GROUP BY
  core
ORDER BY
  core;

-- The reasons of each core; a column for each figure. What remains for a
-- predecessor is a wait without the scheduler's part.
CREATE PERFETTO TABLE _pypto_log_reason AS
SELECT
  p.core,
  r.engine,
  0 AS place,
  'log' AS reason,
  p.core_total_work,
  p.total_wait,
  p.wait_schedule,
  p.wait_predecessor
FROM pypto_log_printed AS p
JOIN _pypto_log_rest AS r
  USING (core)
UNION ALL
SELECT
  core,
  engine,
  1 AS place,
  'lost_start' AS reason,
  -core_total_work AS core_total_work,
  -total_wait AS total_wait,
  -wait_schedule AS wait_schedule,
  -wait_predecessor AS wait_predecessor
FROM _pypto_log_lost
UNION ALL
SELECT
  r.core,
  r.engine,
  2 AS place,
  iif(c.status = 'reproduced', 'rounding', c.status) AS reason,
  -r.core_total_work AS core_total_work,
  -r.total_wait AS total_wait,
  -r.wait_schedule AS wait_schedule,
  -r.wait_predecessor AS wait_predecessor
FROM _pypto_log_rest AS r
JOIN pypto_log_check AS c
  USING (core)
UNION ALL
SELECT
  core,
  engine,
  3 AS place,
  'early_start' AS reason,
  early_start AS core_total_work,
  early_start AS total_wait,
  early_start_schedule AS wait_schedule,
  early_start - early_start_schedule AS wait_predecessor
FROM _pypto_log_rule
UNION ALL
SELECT
  core,
  engine,
  4 AS place,
  'file_order' AS reason,
  file_order AS core_total_work,
  file_order AS total_wait,
  file_order_schedule AS wait_schedule,
  file_order - file_order_schedule AS wait_predecessor
FROM _pypto_log_rule
UNION ALL
SELECT
  core,
  engine,
  5 AS place,
  'hub' AS reason,
  0 AS core_total_work,
  0 AS total_wait,
  hub_schedule AS wait_schedule,
  -hub_schedule AS wait_predecessor
FROM _pypto_log_rule
UNION ALL
SELECT
  r.core,
  r.engine,
  6 AS place,
  'overlap' AS reason,
  -- Its span holds busy time, not the sum of durations.
  r.overlap - s.overlap AS core_total_work,
  r.overlap AS total_wait,
  r.overlap_schedule AS wait_schedule,
  r.overlap - r.overlap_schedule AS wait_predecessor
FROM _pypto_log_rule AS r
JOIN pypto_core_stats AS s
  USING (core)
UNION ALL
SELECT
  core,
  engine,
  7 AS place,
  'backward' AS reason,
  0 AS core_total_work,
  0 AS total_wait,
  backward_schedule AS wait_schedule,
  -backward_schedule AS wait_predecessor
FROM _pypto_log_rule
UNION ALL
SELECT
  core,
  engine,
  8 AS place,
  'startup' AS reason,
  0 AS core_total_work,
  0 AS total_wait,
  -startup_schedule AS wait_schedule,
  startup_schedule - startup AS wait_predecessor
FROM _pypto_log_rule
UNION ALL
SELECT
  s.core,
  s.engine,
  9 AS place,
  iif(s.task_count > 0, 'tail', 'idle') AS reason,
  s.tail + s.idle AS core_total_work,
  s.tail + s.idle AS total_wait,
  0 AS wait_schedule,
  0 AS wait_predecessor
FROM pypto_core_stats AS s
WHERE
  s.core IN (SELECT core FROM pypto_log_printed)
ORDER BY
  core,
  place;

-- From each printed figure to ours: what each reason changes. The rows of a
-- core's figure add up to what it is here, exactly: see pypto_log_figure.
CREATE PERFETTO TABLE pypto_log_bridge(
  -- Name of the core.
  core STRING,
  -- Engine of the core.
  engine STRING,
  -- `core_total_work`, `total_wait`, `wait_schedule` or `wait_predecessor`.
  figure STRING,
  -- `log` is the figure as printed; each other row adds what a reason changes.
  -- Between printed and reproduced: `lost_start` (the log's clock starts
  -- earlier, with what the merged file lost), `rounding`, or the status in
  -- pypto_log_check. Between the log's rules and ours: `early_start` (its
  -- clock starts with what is no task of a core), `file_order` (its tasks
  -- stand in the file's order, ours go by start), `hub` (it waits for the end
  -- of a hub's slice, ours for the real tasks behind it), `overlap` and
  -- `backward` (its waits are negative where tasks of a core overlap or start
  -- before a producer ends), `startup` (before the first task, apart here),
  -- `tail` (after the last task) and `idle` (a core without a task): both are
  -- not in the log.
  reason STRING,
  -- Amount; not 0 but for `log`.
  dur DURATION
) AS
SELECT
  core,
  engine,
  figure,
  reason,
  value AS dur
FROM _pypto_log_by_figure!(_pypto_log_reason)
WHERE
  value != 0 OR reason = 'log'
ORDER BY
  core,
  figure_place,
  place;

-- The same over all cores that log and input have in common.
CREATE PERFETTO TABLE pypto_log_bridge_stats(
  -- As in pypto_log_bridge.
  figure STRING,
  -- As in pypto_log_bridge: `log`, then what each reason adds.
  reason STRING,
  -- Sum over the cores; the rows of a figure add up to what it is here.
  time DURATION,
  -- Cores on which the reason changes the figure; of `log`: all.
  core_count LONG
) AS
SELECT
  figure,
  reason,
  sum(dur) AS time,
  count() AS core_count
FROM pypto_log_bridge
GROUP BY
  figure,
  reason
ORDER BY
  figure = 'wait_predecessor',
  figure = 'wait_schedule',
  figure = 'total_wait',
  reason != 'log',
  abs(sum(dur)) DESC,
  reason;

-- Each figure as printed, by the log's own rules, and as it is here; for the
-- cores that log and input have in common.
CREATE PERFETTO TABLE pypto_log_figure(
  -- Name of the core.
  core STRING,
  -- Engine of the core.
  engine STRING,
  -- As in pypto_log_bridge.
  figure STRING,
  -- By the log.
  printed DURATION,
  -- By the log's own rules on this input: pypto_log_core.
  reproduced DURATION,
  -- What it is here: the makespan for core_total_work; all time in which the
  -- core executed nothing for total_wait; for the other two the columns of
  -- pypto_core_stats.
  ours DURATION,
  -- What each reason changes, in ns: pypto_log_bridge as text; NULL for none.
  reasons STRING
) AS
WITH
  reason AS MATERIALIZED (
    SELECT
      core,
      figure,
      group_concat(printf('%s %+d', reason, dur), ', ') AS reasons
    FROM pypto_log_bridge
    WHERE
      reason != 'log'
    GROUP BY
      core,
      figure
  )
SELECT
  c.core,
  c.engine,
  p.figure,
  p.value AS printed,
  l.value AS reproduced,
  o.value AS ours,
  r.reasons
FROM _pypto_log_by_figure!(pypto_log_printed) AS p
JOIN _pypto_log_by_figure!(pypto_log_core) AS l
  USING (core, figure)
JOIN _pypto_log_by_figure!((
  SELECT
    s.core,
    span.dur AS core_total_work,
    span.dur - s.busy AS total_wait,
    s.wait_schedule,
    s.wait_predecessor
  FROM pypto_core_stats AS s
  JOIN pypto_span AS span
)) AS o
  USING (core, figure)
JOIN pypto_core AS c
  USING (core)
LEFT JOIN reason AS r
  USING (core, figure)
ORDER BY
  c.engine,
  c.number,
  p.figure_place;
