-- Dependencies: which node fed which, when a task was ready, which edges run
-- backward in time.

INCLUDE PERFETTO MODULE pypto.edge;

INCLUDE PERFETTO MODULE pypto.task;

-- Direct dependencies between nodes (hubs and off-core tasks included).
CREATE PERFETTO VIEW pypto_dependency(
  -- Producer: dense id of the node.
  src LONG,
  -- Consumer: dense id of the node.
  dst LONG
) AS
SELECT
  src,
  dst
FROM _pypto_in_edge;

-- When each task could have started: the latest end of its real predecessors,
-- reached directly or through hubs; the run's start where it has none.
CREATE PERFETTO VIEW pypto_ready(
  -- Dense id of the task.
  id LONG,
  -- When its last predecessor had ended.
  ready_ts TIMESTAMP,
  -- That predecessor (the lowest id if several ended then); NULL without any.
  ready_by LONG
) AS
SELECT
  id,
  ready_ts,
  ready_by
FROM _pypto_ready;

-- All (task, predecessor on a core) pairs of the few tasks whose last
-- predecessor ended after they started, or at the very moment of a task
-- without length: there the latest end alone does not tell the story.
CREATE PERFETTO TABLE _pypto_late_pair AS
WITH RECURSIVE
  walk(id, node) AS (
    SELECT b.id, e.src
    FROM _pypto_last_before AS b
    -- CROSS: the few tasks are picked out before their edges are looked up.
    CROSS JOIN _pypto_end AS l
      ON l._auto_id = b.task_place
    CROSS JOIN _pypto_in_edge AS e
      ON e.dst = b.id
    WHERE l.end_ts > b.ts OR (l.end_ts = b.ts AND b.dur = 0)
    UNION
    SELECT w.id, e.src
    FROM walk AS w
    JOIN _pypto_place AS n
      ON n.id = w.node
    JOIN _pypto_in_edge AS e
      ON e.dst = n.id
    WHERE n.transparent != 0
  )
SELECT
  w.id,
  p.id AS src,
  p.ts,
  p.end_ts
FROM walk AS w
JOIN _pypto_task AS p
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
