-- Critical paths: the static one (the longest chain of dependencies, however
-- the tasks were scheduled) and the observed one (what the end of this run
-- waited for, step by step).

INCLUDE PERFETTO MODULE graphs.scan;

INCLUDE PERFETTO MODULE pypto.core;

-- Edges as the graph scans want them.
CREATE PERFETTO TABLE _pypto_edge AS
SELECT
  src AS source_node_id,
  dst AS dest_node_id
FROM pypto_dependency
ORDER BY
  source_node_id;

-- Finish of each node if it starts as soon as all that lies before it has
-- ended, and its level. Partial when the edges form a cycle: see
-- _pypto_is_acyclic!.
CREATE PERFETTO MACRO _pypto_earliest_finish(
    -- Table (source_node_id, dest_node_id).
    edges TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    id,
    finish,
    level
  FROM _graph_aggregating_scan!(
    $edges,
    (
      SELECT n.id, n.weight AS finish, 0 AS level
      FROM _pypto_node AS n
      WHERE n.id NOT IN (SELECT dest_node_id FROM $edges)
    ),
    (finish, level),
    (
      SELECT
        t.id,
        max(t.finish) + n.weight AS finish,
        max(t.level) + 1 AS level
      FROM $table AS t
      JOIN _pypto_node AS n USING (id)
      GROUP BY t.id
    )
  )
);

-- Whether $edges form no cycle, judged by the levels that a scan gave: one
-- over a cyclic graph may return every node, so they are checked edge by edge.
CREATE PERFETTO MACRO _pypto_is_acyclic(
    -- Table (id, finish, level) of the nodes reached.
    finish TableOrSubquery,
    -- Table (source_node_id, dest_node_id).
    edges TableOrSubquery
)
RETURNS Expr AS
(
  (SELECT count() FROM $finish) = (SELECT count() FROM _pypto_node)
  AND NOT EXISTS (
    SELECT 1
    FROM $edges AS e
    JOIN $finish AS a
      ON a.id = e.source_node_id
    JOIN $finish AS b
      ON b.id = e.dest_node_id
    WHERE
      b.level <= a.level
  )
);

-- Earliest finish if nothing but dependencies delayed a node.
CREATE PERFETTO TABLE _pypto_forward AS
SELECT
  id,
  finish,
  level
FROM _pypto_earliest_finish!(_pypto_edge)
ORDER BY
  id;

-- Whether the dependencies form no cycle.
CREATE PERFETTO FUNCTION _pypto_is_dag()
RETURNS BOOL AS
SELECT
  _pypto_is_acyclic!(_pypto_forward, _pypto_edge);

-- Up to five tasks on or behind a cycle, for the message.
CREATE PERFETTO FUNCTION _pypto_cycle_text()
RETURNS STRING AS
SELECT
  group_concat(task, '; ')
FROM (
  SELECT DISTINCT
    _pypto_task_id!(n.arg_set_id) AS task
  FROM _pypto_edge AS e
  LEFT JOIN _pypto_forward AS a
    ON a.id = e.source_node_id
  LEFT JOIN _pypto_forward AS b
    ON b.id = e.dest_node_id
  JOIN _pypto_node AS n
    ON n.id = e.dest_node_id
  WHERE
    b.level IS NULL OR a.level IS NULL OR b.level <= a.level
  ORDER BY
    e.dest_node_id
  LIMIT 5
);

-- Length of the static critical path: the longest sum of task durations along
-- dependencies; hubs and off-core tasks weigh nothing. One row; the length is
-- NULL when the graph has a cycle.
CREATE PERFETTO TABLE pypto_static_path(
  -- Length.
  dur DURATION
) AS
SELECT
  iif(_pypto_is_dag(), max(finish), NULL) AS dur
FROM _pypto_forward;

-- The previous task on the same core that had ended when the task started.
CREATE PERFETTO TABLE _pypto_core_before AS
WITH
  near AS MATERIALIZED (
    SELECT
      id,
      core,
      ts,
      end_ts,
      lag(id) OVER core_order AS src,
      lag(end_ts) OVER core_order AS src_end,
      -- Alone at its end: the one before ends after all others before it.
      coalesce(lag(prev_end) OVER core_order, -1) < lag(end_ts) OVER core_order
      AND lag(end_ts) OVER core_order <= ts AS is_plain
    FROM _pypto_core_step
    WINDOW
      core_order AS (PARTITION BY core ORDER BY ts, end_ts, id)
  )
SELECT
  id,
  src_end AS end_ts,
  src
FROM near
WHERE
  is_plain
UNION ALL
SELECT
  id,
  end_ts,
  src
FROM _pypto_latest!((
  SELECT n.id, p.end_ts, p.id AS src
  FROM near AS n
  JOIN _pypto_core_step AS p
    ON p.core = n.core
  WHERE
    NOT n.is_plain
    AND p.end_ts <= n.ts
    AND (p.ts, p.end_ts, p.id) < (n.ts, n.end_ts, n.id)
))
ORDER BY
  id;

-- What each task started after: the later end of its last predecessor and of
-- the previous task on its core. Neither exists for a task at the front.
CREATE PERFETTO TABLE _pypto_before AS
SELECT
  id,
  src,
  end_ts,
  kind
FROM (
  SELECT
    id,
    src,
    end_ts,
    kind,
    row_number() OVER (
      PARTITION BY id
      ORDER BY end_ts DESC, kind DESC, src
    ) AS place
  FROM (
    SELECT
      b.id,
      b.src,
      b.end_ts,
      'data_wait' AS kind
    FROM _pypto_task_before AS b
    WHERE
      b.id NOT IN (SELECT id FROM _pypto_late_pair)
    UNION ALL
    SELECT
      p.id,
      p.src,
      p.end_ts,
      'data_wait' AS kind
    FROM _pypto_late_pair AS p
    JOIN pypto_task AS t
      USING (id)
    WHERE
      p.end_ts <= t.ts AND (p.ts, p.end_ts, p.src) < (t.ts, t.end_ts, t.id)
    UNION ALL
    SELECT
      id,
      src,
      end_ts,
      'core_wait' AS kind
    FROM _pypto_core_before
  )
)
WHERE
  place = 1
ORDER BY
  id;

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
  back(place, id) AS (
    SELECT
      0 AS place,
      (
        SELECT id
        FROM pypto_task
        ORDER BY end_ts DESC, ts DESC, id DESC
        LIMIT 1
      ) AS id
    UNION ALL
    SELECT
      back.place + 1,
      b.src
    FROM back
    JOIN _pypto_before AS b
      USING (id)
  )
SELECT
  (SELECT max(place) FROM back) - back.place AS step,
  t.id,
  t.slice_id,
  t.name,
  t.core,
  t.ts,
  t.dur,
  coalesce(b.kind, 'front') AS gap_kind,
  coalesce(b.end_ts, (SELECT ts FROM pypto_span)) AS gap_ts,
  t.ts - coalesce(b.end_ts, (SELECT ts FROM pypto_span)) AS gap_dur
FROM back
JOIN pypto_task AS t
  ON t.id = back.id
LEFT JOIN _pypto_before AS b
  ON b.id = back.id
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
