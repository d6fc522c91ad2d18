-- The tasks in the order of their cores: what each core did from step to step.

INCLUDE PERFETTO MODULE pypto.edge;

-- Tasks in the order of their core.
CREATE PERFETTO TABLE _pypto_core_order AS
SELECT
  t.id,
  t.core,
  t.engine,
  t.ts,
  t.end_ts,
  r.ready_ts,
  r.ready_by
FROM _pypto_task AS t
-- CROSS: with the tasks in front the engine sorts columns, not SQLite the
-- joined rows: three times as fast.
CROSS JOIN _pypto_ready AS r
  USING (id)
ORDER BY
  t.core,
  t.ts,
  t.end_ts,
  t.id;

-- Cores on which a task starts before the one before it has ended.
CREATE PERFETTO TABLE _pypto_overlapping AS
SELECT DISTINCT
  t.core
FROM _pypto_core_order AS t
JOIN _pypto_core_order AS p
  ON p._auto_id = t._auto_id - 1
WHERE
  p.core = t.core AND p.end_ts > t.ts
ORDER BY
  t.core;

-- There, the latest end of all tasks before each.
CREATE PERFETTO TABLE _pypto_overlapped_end AS
SELECT
  id,
  max(end_ts) OVER (
    PARTITION BY core
    ORDER BY ts, end_ts, id
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS prev_end
FROM _pypto_core_order
WHERE
  core IN (SELECT core FROM _pypto_overlapping)
ORDER BY
  id;

-- Tasks in the order of their core, with the task before, the running maximum
-- of the ends before (overlapping tasks count once) and the time at which the
-- task was ready. What comes before is the row above: a join, for windows take
-- several times as long.
CREATE PERFETTO TABLE _pypto_core_step AS
SELECT
  t.id,
  t.core,
  t.engine,
  t.ts,
  t.end_ts,
  t.ready_ts,
  t.ready_by,
  iif(p.core = t.core, p.id, NULL) AS prev_id,
  iif(p.core = t.core, coalesce(o.prev_end, p.end_ts), NULL) AS prev_end
FROM _pypto_core_order AS t
LEFT JOIN _pypto_core_order AS p
  ON p._auto_id = t._auto_id - 1
LEFT JOIN _pypto_overlapped_end AS o
  ON o.id = t.id
ORDER BY
  t.core,
  t.ts,
  t.end_ts,
  t.id;

-- Each task with the gap before it and its work. The core was free from
-- `free_ts`; up to `cut_ts` the task waited for a predecessor, then for the
-- scheduler. From `work_ts` on, if it lies before the end, the core worked for
-- it alone: such pieces are disjoint, and their sum is the core's busy time.
CREATE PERFETTO VIEW _pypto_core_piece AS
SELECT
  id,
  core,
  engine,
  ts,
  end_ts,
  ready_ts,
  ready_by,
  prev_end IS NULL AS is_startup,
  coalesce(prev_end, (SELECT ts FROM pypto_span)) AS free_ts,
  min(max(ready_ts, coalesce(prev_end, (SELECT ts FROM pypto_span))), ts)
    AS cut_ts,
  max(ts, coalesce(prev_end, ts)) AS work_ts
FROM _pypto_core_step;
