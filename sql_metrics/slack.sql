-- Slack and drag: which tasks the static critical path hangs on, and by how
-- much.

INCLUDE PERFETTO MODULE pypto.critical_path;

-- Longest way from each node to the end, its own duration included.
CREATE PERFETTO TABLE _pypto_tail AS
SELECT
  id,
  finish AS tail
FROM _pypto_earliest_finish!((
  SELECT
    dest_node_id AS source_node_id,
    source_node_id AS dest_node_id
  FROM _pypto_edge
))
ORDER BY
  id;

-- Slack of each node, and its place in a topological order. Empty when the
-- dependencies have a cycle.
CREATE PERFETTO TABLE _pypto_node_slack AS
SELECT
  f.id,
  f.finish,
  t.tail,
  p.dur - t.tail - f.finish + n.weight AS slack,
  row_number() OVER (ORDER BY f.level, f.id) AS place
FROM _pypto_forward AS f
JOIN _pypto_tail AS t
  USING (id)
JOIN _pypto_node AS n
  USING (id)
JOIN pypto_static_path AS p
WHERE
  p.dur IS NOT NULL
ORDER BY
  f.id;

-- Critical tasks in topological order.
CREATE PERFETTO TABLE _pypto_critical_task AS
SELECT
  id,
  place,
  weight,
  row_number() OVER (ORDER BY place) AS rank
FROM _pypto_node_slack
JOIN _pypto_node
  USING (id)
WHERE
  slack = 0 AND weight > 0
ORDER BY
  rank;

-- Each edge as a jump over places, with the longest way through it; ways start
-- before the first place and end behind the last one. Every way that avoids a
-- task jumps over its place.
CREATE PERFETTO TABLE _pypto_jump AS
WITH
  jump AS MATERIALIZED (
    SELECT
      a.place AS from_place,
      b.place AS to_place,
      a.finish + b.tail AS length
    FROM _pypto_edge AS e
    JOIN _pypto_node_slack AS a
      ON a.id = e.source_node_id
    JOIN _pypto_node_slack AS b
      ON b.id = e.dest_node_id
    UNION ALL
    SELECT
      0 AS from_place,
      place AS to_place,
      tail AS length
    FROM _pypto_node_slack
    WHERE
      id NOT IN (SELECT dest_node_id FROM _pypto_edge)
    UNION ALL
    SELECT
      place AS from_place,
      (SELECT count() + 1 FROM _pypto_node_slack) AS to_place,
      finish AS length
    FROM _pypto_node_slack
    WHERE
      id NOT IN (SELECT source_node_id FROM _pypto_edge)
  ),
  -- Ranks of the first and last critical task between the two places.
  mark AS MATERIALIZED (
    SELECT
      n.place,
      count(c.rank) OVER (ORDER BY n.place) AS up_to,
      c.rank IS NOT NULL AS is_critical
    FROM _pypto_node_slack AS n
    LEFT JOIN _pypto_critical_task AS c
      USING (id)
  )
SELECT
  coalesce(a.up_to, 0) + 1 AS from_rank,
  coalesce(b.up_to - b.is_critical, (SELECT count() FROM _pypto_critical_task))
    AS to_rank,
  max(j.length) AS length
FROM jump AS j
LEFT JOIN mark AS a
  ON a.place = j.from_place
LEFT JOIN mark AS b
  ON b.place = j.to_place
GROUP BY
  from_rank,
  to_rank
HAVING
  from_rank <= to_rank
ORDER BY
  from_rank,
  to_rank;

-- Slack and drag of each task; no rows when the dependencies have a cycle.
CREATE PERFETTO TABLE pypto_slack(
  -- Dense id of the task.
  id LONG,
  -- Earliest finish if nothing but dependencies delayed it.
  earliest_finish DURATION,
  -- Latest finish that does not lengthen the static critical path.
  latest_finish DURATION,
  -- latest_finish - earliest_finish: 0 on a critical path.
  slack DURATION,
  -- How much shorter the static critical path gets when the task takes no
  -- time; 0 off the path, or where another path is as long.
  drag DURATION
) AS
WITH
  around AS MATERIALIZED (
    SELECT
      c.id,
      max(j.length) AS length
    FROM _pypto_critical_task AS c
    JOIN _pypto_jump AS j
      ON j.from_rank <= c.rank AND j.to_rank >= c.rank
    GROUP BY
      c.id
  )
SELECT
  s.id,
  s.finish AS earliest_finish,
  s.finish + s.slack AS latest_finish,
  s.slack,
  iif(
    c.id IS NULL,
    0,
    min(
      n.weight,
      (SELECT dur FROM pypto_static_path) - coalesce(a.length, 0)
    )
  ) AS drag
FROM _pypto_node_slack AS s
JOIN _pypto_node AS n
  USING (id)
LEFT JOIN _pypto_critical_task AS c
  USING (id)
LEFT JOIN around AS a
  USING (id)
WHERE
  n.kind = 'task'
ORDER BY
  s.id;
