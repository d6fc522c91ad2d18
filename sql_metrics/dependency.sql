-- Dependencies: which node fed which, when a task was ready, which edges run
-- backward in time, and whether the graph has a cycle.

INCLUDE PERFETTO MODULE graphs.scan;

INCLUDE PERFETTO MODULE pypto.task;

-- Direct dependencies between nodes (hubs and off-core tasks included).
CREATE PERFETTO TABLE pypto_dependency(
  -- Producer: dense id of the node.
  src LONG,
  -- Consumer: dense id of the node.
  dst LONG
) AS
SELECT
  a.int_value AS src,
  b.int_value AS dst
FROM args AS a
JOIN args AS b
  USING (arg_set_id)
WHERE
  a.flat_key = 'debug.deps' AND b.key = 'debug.id'
ORDER BY
  dst,
  src;

-- Direct predecessors with their ends; `transparent` marks the nodes that
-- readiness passes through (1: hubs; 2: off-core tasks, for the paths only).
CREATE PERFETTO TABLE _pypto_in_edge AS
SELECT
  d.dst,
  d.src,
  p.end_ts,
  CASE p.kind WHEN 'hub' THEN 1 WHEN 'off_core' THEN 2 ELSE 0 END
    AS transparent,
  CASE c.kind WHEN 'hub' THEN 1 WHEN 'off_core' THEN 2 ELSE 0 END
    AS dst_transparent
FROM pypto_dependency AS d
JOIN _pypto_node AS p
  ON p.id = d.src
JOIN _pypto_node AS c
  ON c.id = d.dst
ORDER BY
  d.dst,
  d.src;

-- The latest end, and the lowest id that ends then, per node of $ends.
CREATE PERFETTO MACRO _pypto_latest(
    -- Table (id, end_ts, src).
    ends TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    id,
    end_ts,
    src
  FROM (
    SELECT
      id,
      end_ts,
      src,
      row_number() OVER (PARTITION BY id ORDER BY end_ts DESC, src) AS place
    FROM $ends
  )
  WHERE
    place = 1
);

-- The latest of $ends for each node of $nodes; -1 where there is none.
CREATE PERFETTO MACRO _pypto_direct(
    -- Nodes: id.
    nodes TableOrSubquery,
    -- What lies directly before them: id, end_ts, src.
    ends TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    n.id,
    coalesce(l.end_ts, -1) AS end_ts,
    coalesce(l.src, -1) AS src
  FROM $nodes AS n
  LEFT JOIN _pypto_latest!($ends) AS l
    USING (id)
);

-- What lies directly before each hub.
CREATE PERFETTO TABLE _pypto_hub_direct AS
SELECT
  id,
  end_ts,
  src
FROM _pypto_direct!(
  (SELECT id FROM _pypto_node WHERE kind = 'hub'),
  (
    SELECT dst AS id, end_ts, src
    FROM _pypto_in_edge
    WHERE transparent != 1 AND dst_transparent = 1
  )
)
ORDER BY
  id;

-- What lies on a core directly before each hub or off-core task.
CREATE PERFETTO TABLE _pypto_through_direct AS
SELECT
  id,
  end_ts,
  src
FROM _pypto_direct!(
  (SELECT id FROM _pypto_node WHERE kind != 'task'),
  (
    SELECT dst AS id, end_ts, src
    FROM _pypto_in_edge
    WHERE transparent = 0 AND dst_transparent != 0
  )
)
ORDER BY
  id;

-- Carries the latest end along the edges between transparent nodes.
CREATE PERFETTO MACRO _pypto_carry(
    -- Edges between transparent nodes: source_node_id, dest_node_id.
    edges TableOrSubquery,
    -- Table (id, end_ts, src) of the transparent nodes.
    direct TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    id,
    end_ts,
    src
  FROM _graph_aggregating_scan!(
    $edges,
    (
      SELECT id, end_ts, src
      FROM $direct
      WHERE id NOT IN (SELECT dest_node_id FROM $edges)
    ),
    (end_ts, src),
    (
      SELECT id, end_ts, src
      FROM _pypto_latest!((
        SELECT id, end_ts, src FROM $table
        UNION ALL
        SELECT d.id, d.end_ts, d.src
        FROM $direct AS d
        WHERE d.id IN (SELECT id FROM $table)
      ))
    )
  )
);

-- Latest real end behind each hub: hubs take no time, whatever the file says.
CREATE PERFETTO TABLE _pypto_hub_behind AS
SELECT
  id,
  end_ts,
  src
FROM _pypto_carry!(
  (
    SELECT src AS source_node_id, dst AS dest_node_id
    FROM _pypto_in_edge
    WHERE transparent = 1 AND dst_transparent = 1
  ),
  _pypto_hub_direct
)
WHERE
  src >= 0
ORDER BY
  id;

-- Latest end on a core behind each hub or off-core task.
CREATE PERFETTO TABLE _pypto_through_behind AS
SELECT
  id,
  end_ts,
  src
FROM _pypto_carry!(
  (
    SELECT src AS source_node_id, dst AS dest_node_id
    FROM _pypto_in_edge
    WHERE transparent != 0 AND dst_transparent != 0
  ),
  _pypto_through_direct
)
WHERE
  src >= 0
ORDER BY
  id;

-- When each task could have started: the latest end of its real predecessors,
-- reached directly or through hubs; the run's start where it has none.
CREATE PERFETTO TABLE pypto_ready(
  -- Dense id of the task.
  id LONG,
  -- When its last predecessor had ended.
  ready_ts TIMESTAMP,
  -- That predecessor (the lowest id if several ended then); NULL without any.
  ready_by LONG
) AS
SELECT
  t.id,
  max((SELECT ts FROM pypto_span), coalesce(l.end_ts, 0)) AS ready_ts,
  l.src AS ready_by
FROM pypto_task AS t
LEFT JOIN _pypto_latest!((
  SELECT dst AS id, end_ts, src
  FROM _pypto_in_edge
  WHERE transparent != 1 AND dst_transparent = 0
  UNION ALL
  SELECT e.dst AS id, b.end_ts, b.src
  FROM _pypto_in_edge AS e
  JOIN _pypto_hub_behind AS b
    ON b.id = e.src
  WHERE e.transparent = 1 AND e.dst_transparent = 0
)) AS l
  USING (id)
ORDER BY
  t.id;

-- The predecessor on a core that ended last, per task, hubs and off-core tasks
-- looked through.
CREATE PERFETTO TABLE _pypto_task_before AS
SELECT
  id,
  end_ts,
  src
FROM _pypto_latest!((
  SELECT dst AS id, end_ts, src
  FROM _pypto_in_edge
  WHERE transparent = 0 AND dst_transparent = 0
  UNION ALL
  SELECT e.dst AS id, b.end_ts, b.src
  FROM _pypto_in_edge AS e
  JOIN _pypto_through_behind AS b
    ON b.id = e.src
  WHERE e.transparent != 0 AND e.dst_transparent = 0
))
ORDER BY
  id;

-- All (task, predecessor on a core) pairs of the few tasks whose last
-- predecessor ended after they started, or at the very moment of a task
-- without length: there the latest end alone does not tell the story.
CREATE PERFETTO TABLE _pypto_late_pair AS
WITH RECURSIVE
  walk(id, node) AS (
    SELECT t.id, e.src
    FROM _pypto_task_before AS b
    JOIN pypto_task AS t
      USING (id)
    JOIN _pypto_in_edge AS e
      ON e.dst = t.id
    WHERE b.end_ts > t.ts OR (b.end_ts = t.ts AND t.dur = 0)
    UNION
    SELECT w.id, e.src
    FROM walk AS w
    JOIN _pypto_in_edge AS e
      ON e.dst = w.node
    WHERE e.dst_transparent != 0
  )
SELECT
  w.id,
  p.id AS src,
  p.ts,
  p.end_ts
FROM walk AS w
JOIN pypto_task AS p
  ON p.id = w.node
ORDER BY
  w.id,
  src;

-- Backward dependencies: the consumer starts before its producer ends. Kept in
-- the graph, counted, never followed in time.
CREATE PERFETTO TABLE pypto_backward_dependency(
  -- Producer: dense id of the task.
  src LONG,
  -- Consumer: dense id of the task.
  dst LONG,
  -- How long before the producer's end the consumer started.
  overlap DURATION
) AS
SELECT
  p.src,
  p.id AS dst,
  p.end_ts - t.ts AS overlap
FROM _pypto_late_pair AS p
JOIN pypto_task AS t
  USING (id)
WHERE
  p.end_ts > t.ts
ORDER BY
  dst,
  src;
