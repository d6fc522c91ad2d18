-- The edges of the dependency graph, and what ended last before each node:
-- when each task was ready.

INCLUDE PERFETTO MODULE graphs.scan;

INCLUDE PERFETTO MODULE pypto.node;

-- Nodes by their ends; of those that end together the lowest id comes last. So
-- the row number, `_auto_id`, is a place, and what ended last is max(place).
-- `transparent` marks the nodes that readiness passes through (1: hubs; 2:
-- off-core tasks, for the paths only).
CREATE PERFETTO TABLE _pypto_end AS
SELECT
  id,
  end_ts,
  CASE kind WHEN 'hub' THEN 1 WHEN 'off_core' THEN 2 ELSE 0 END
    AS transparent
FROM _pypto_node
ORDER BY
  end_ts,
  id DESC;

-- Place of each node's end.
CREATE PERFETTO TABLE _pypto_place AS
SELECT
  id,
  _auto_id AS place,
  transparent
FROM _pypto_end
ORDER BY
  id;

-- Direct predecessors with the places of their ends, sorted by consumer and
-- producer.
CREATE PERFETTO TABLE _pypto_in_edge AS
SELECT
  d.dst,
  d.src,
  p.place,
  p.transparent
FROM _pypto_node_edge AS d
-- CROSS: the edges in front, in their order.
CROSS JOIN _pypto_place AS p
  ON p.id = d.src;

-- What ended last directly before each node that has a predecessor: of all, of
-- the real ones (hubs left out), of those on a core; NULL if there is none.
CREATE PERFETTO TABLE _pypto_direct AS
SELECT
  dst AS id,
  max(place) AS place,
  max(iif(transparent != 1, place, NULL)) AS real_place,
  max(iif(transparent = 0, place, NULL)) AS task_place
FROM _pypto_in_edge
GROUP BY
  dst
ORDER BY
  dst;

-- Carries the latest place along the edges between transparent nodes; -1 where
-- nothing lies before them.
CREATE PERFETTO MACRO _pypto_carry(
    -- Edges between transparent nodes: source_node_id, dest_node_id.
    edges TableOrSubquery,
    -- What ended last directly before the transparent nodes: id, place.
    direct TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    id,
    place
  FROM _graph_aggregating_scan!(
    $edges,
    (
      SELECT id, place
      FROM $direct
      WHERE id NOT IN (SELECT dest_node_id FROM $edges)
    ),
    (place),
    (
      SELECT t.id, max(max(t.place), d.place) AS place
      FROM $table AS t
      JOIN $direct AS d USING (id)
      GROUP BY t.id
    )
  )
);

-- What really ended last before each hub, other hubs looked through: hubs take
-- no time, whatever the file says.
CREATE PERFETTO TABLE _pypto_hub_behind AS
SELECT
  id,
  place
FROM _pypto_carry!(
  (
    SELECT e.src AS source_node_id, e.dst AS dest_node_id
    FROM _pypto_in_edge AS e
    JOIN _pypto_place AS n ON n.id = e.dst
    WHERE e.transparent = 1 AND n.transparent = 1
  ),
  (
    SELECT n.id, coalesce(d.real_place, -1) AS place
    FROM _pypto_place AS n
    LEFT JOIN _pypto_direct AS d USING (id)
    WHERE n.transparent = 1
  )
)
WHERE
  place >= 0
ORDER BY
  id;

-- What ended last on a core before each hub or off-core task, others of them
-- looked through.
CREATE PERFETTO TABLE _pypto_through_behind AS
SELECT
  id,
  place
FROM _pypto_carry!(
  (
    SELECT e.src AS source_node_id, e.dst AS dest_node_id
    FROM _pypto_in_edge AS e
    JOIN _pypto_place AS n ON n.id = e.dst
    WHERE e.transparent != 0 AND n.transparent != 0
  ),
  (
    SELECT n.id, coalesce(d.task_place, -1) AS place
    FROM _pypto_place AS n
    LEFT JOIN _pypto_direct AS d USING (id)
    WHERE n.transparent != 0
  )
)
WHERE
  place >= 0
ORDER BY
  id;

-- The latest place of $behind among the transparent nodes before each node.
CREATE PERFETTO MACRO _pypto_beyond(
    -- Table (id, place) of the transparent nodes.
    behind TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    e.dst AS id,
    max(b.place) AS place
  FROM _pypto_in_edge AS e
  JOIN $behind AS b
    ON b.id = e.src
  WHERE
    e.transparent != 0
  GROUP BY
    e.dst
);

-- What ended last behind the hubs before each node.
CREATE PERFETTO TABLE _pypto_hub_beyond AS
SELECT
  id,
  place
FROM _pypto_beyond!(_pypto_hub_behind)
ORDER BY
  id;

-- What ended last on a core behind the hubs and off-core tasks before each
-- node.
CREATE PERFETTO TABLE _pypto_through_beyond AS
SELECT
  id,
  place
FROM _pypto_beyond!(_pypto_through_behind)
ORDER BY
  id;

-- What ended last before each task, by place: of the real predecessors,
-- reached directly or through hubs; of the tasks on a core, reached through
-- whatever lies between; of the direct ones of any kind. -1 if there is none.
CREATE PERFETTO TABLE _pypto_last_before AS
SELECT
  t.id,
  t.ts,
  t.dur,
  max(coalesce(d.real_place, -1), coalesce(h.place, -1)) AS real_place,
  max(coalesce(d.task_place, -1), coalesce(o.place, -1)) AS task_place,
  coalesce(d.place, -1) AS any_place
FROM _pypto_task AS t
LEFT JOIN _pypto_direct AS d
  USING (id)
LEFT JOIN _pypto_hub_beyond AS h
  USING (id)
LEFT JOIN _pypto_through_beyond AS o
  USING (id)
ORDER BY
  t.id;

-- When the last real predecessor of each task had ended, and which that is:
-- see pypto_ready.
CREATE PERFETTO TABLE _pypto_ready AS
SELECT
  b.id,
  max((SELECT ts FROM pypto_span), coalesce(e.end_ts, 0)) AS ready_ts,
  e.id AS ready_by
FROM _pypto_last_before AS b
LEFT JOIN _pypto_end AS e
  ON e._auto_id = b.real_place
ORDER BY
  b.id;
