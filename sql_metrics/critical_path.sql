-- What no schedule can beat, and the observed critical path: what the end of
-- this run waited for, step by step.

INCLUDE PERFETTO MODULE pypto.core;

INCLUDE PERFETTO MODULE pypto.static_path;

-- What no schedule can beat: the critical path, or the work per core of the
-- busiest engine. One row, none for a trace without a task.
CREATE PERFETTO TABLE _pypto_bound AS
WITH
  work AS MATERIALIZED (
    SELECT
      sum(s.total) AS dur,
      CAST(sum(s.total) AS DOUBLE) / m.core_count AS per_core
    FROM _pypto_core_sum AS s
    JOIN pypto_core_count AS m
      USING (engine)
    GROUP BY
      s.engine
  ),
  bound AS MATERIALIZED (
    SELECT
      dur AS critical_path,
      max(CAST(dur AS DOUBLE), (SELECT max(per_core) FROM work))
        AS lower_bound
    FROM pypto_static_path
  )
SELECT
  b.critical_path,
  b.lower_bound,
  s.dur / nullif(b.lower_bound, 0) AS headroom,
  (SELECT sum(dur) FROM work) AS work
FROM pypto_span AS s
JOIN bound AS b;

-- Of a task whose last predecessor had not ended before it started: what ended
-- last among those that had, by place; -1 if there is none.
CREATE PERFETTO TABLE _pypto_data_before AS
SELECT
  p.id,
  max(
    iif(
      p.end_ts <= t.ts AND (p.ts, p.end_ts, p.src) < (t.ts, t.end_ts, t.id),
      e.place,
      -1
    )
  ) AS place
FROM _pypto_late_pair AS p
JOIN _pypto_task AS t
  USING (id)
JOIN _pypto_place AS e
  ON e.id = p.src
GROUP BY
  p.id
ORDER BY
  p.id;

-- The same on its core, of a task that is not simply the next there: the one
-- before still ran, or did not end alone as the last. Then all before count:
-- the last of the ends on the core so far. What ends at the very moment of the
-- task's start is before it if it comes earlier in the order of the core.
CREATE PERFETTO TABLE _pypto_core_before AS
WITH
  crowded AS MATERIALIZED (
    SELECT
      t._auto_id AS row,
      t.id,
      t.core,
      t.ts
    FROM _pypto_core_step AS t
    JOIN _pypto_core_step AS p
      ON p._auto_id = t._auto_id - 1
    WHERE
      p.core = t.core
      AND (p.end_ts > t.ts OR p.end_ts <= coalesce(p.prev_end, -1))
  ),
  event AS MATERIALIZED (
    SELECT
      s.core,
      s.end_ts AS ts,
      s._auto_id AS row,
      1 AS is_end,
      e.place,
      NULL AS id
    FROM _pypto_core_step AS s
    JOIN _pypto_place AS e
      USING (id)
    WHERE
      s.core IN (SELECT core FROM crowded)
    UNION ALL
    SELECT core, ts, row, 0 AS is_end, -1 AS place, id FROM crowded
  )
SELECT
  id,
  place
FROM (
  SELECT
    id,
    max(place) OVER (
      PARTITION BY core
      ORDER BY ts, row, is_end
      ROWS UNBOUNDED PRECEDING
    ) AS place
  FROM event
)
WHERE
  id IS NOT NULL
ORDER BY
  id;

-- What each task started after: the later end of its last predecessor and of
-- the previous task on its core, of equal ends the predecessor's. At the front
-- there is neither. A view: only the tasks on the path are looked up.
CREATE PERFETTO VIEW _pypto_before AS
SELECT
  b.id,
  CASE
    WHEN d.end_ts >= coalesce(c.end_ts, d.end_ts) THEN d.id
    ELSE c.id
  END AS src,
  CASE
    WHEN d.end_ts >= coalesce(c.end_ts, d.end_ts) THEN d.end_ts
    ELSE coalesce(c.end_ts, (SELECT ts FROM pypto_span))
  END AS end_ts,
  CASE
    WHEN d.end_ts >= coalesce(c.end_ts, d.end_ts) THEN 'data_wait'
    WHEN c.end_ts IS NOT NULL THEN 'core_wait'
    ELSE 'front'
  END AS kind
FROM _pypto_last_before AS b
JOIN _pypto_core_prev AS v
  ON v.id = b.id
LEFT JOIN _pypto_place AS p
  ON p.id = v.prev_id
LEFT JOIN _pypto_data_before AS late
  ON late.id = b.id
LEFT JOIN _pypto_core_before AS crowded
  ON crowded.id = b.id
LEFT JOIN _pypto_end AS d
  ON d._auto_id = coalesce(late.place, b.task_place)
LEFT JOIN _pypto_end AS c
  ON c._auto_id = coalesce(crowded.place, p.place);

-- The observed critical path: from the last-ending task back to whatever each
-- task started after. Gaps and tasks fill the makespan, exactly.
CREATE PERFETTO TABLE pypto_critical_path(
  -- Place on the path, from 0.
  step LONG,
  -- Dense id of the task.
  id LONG,
  -- Slice of the task.
  slice_id JOINID(slice.id),
  -- Name of the task.
  name STRING,
  -- Core that executed it.
  core STRING,
  -- Start of the task.
  ts TIMESTAMP,
  -- Duration of the task.
  dur DURATION,
  -- What the gap before the task was: `data_wait` (it started after a
  -- predecessor), `core_wait` (after the task before it on its core) or
  -- `front`.
  gap_kind STRING,
  -- Start of the gap.
  gap_ts TIMESTAMP,
  -- Duration of the gap, often 0.
  gap_dur DURATION
) AS
WITH RECURSIVE
  back(place, id, src, end_ts, kind) AS (
    SELECT
      0 AS place,
      id,
      src,
      end_ts,
      kind
    FROM _pypto_before
    WHERE
      id = (
        SELECT id
        FROM _pypto_task
        ORDER BY end_ts DESC, ts DESC, id DESC
        LIMIT 1
      )
    UNION ALL
    SELECT
      back.place + 1,
      b.id,
      b.src,
      b.end_ts,
      b.kind
    FROM back
    JOIN _pypto_before AS b
      ON b.id = back.src
  )
SELECT
  (SELECT max(place) FROM back) - b.place AS step,
  t.id,
  t.slice_id,
  t.name,
  t.core,
  t.ts,
  t.dur,
  b.kind AS gap_kind,
  b.end_ts AS gap_ts,
  t.ts - b.end_ts AS gap_dur
FROM back AS b
JOIN _pypto_task AS t
  ON t.id = b.id
ORDER BY
  step;

-- Time on the observed path by kind; the sum is the makespan, exactly.
CREATE PERFETTO TABLE pypto_observed_path_stats(
  -- `compute`, `data_wait`, `core_wait` or `front`.
  kind STRING,
  -- Time.
  time DURATION,
  -- Tasks or gaps of this kind; gaps of no length count.
  step_count LONG
) AS
SELECT
  'compute' AS kind,
  sum(dur) AS time,
  count() AS step_count
FROM pypto_critical_path
HAVING
  count() > 0
UNION ALL
SELECT
  gap_kind AS kind,
  sum(gap_dur) AS time,
  count() AS step_count
FROM pypto_critical_path
GROUP BY
  gap_kind
ORDER BY
  kind;
