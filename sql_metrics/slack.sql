-- Slack and drag: which tasks the static critical path hangs on, and by how
-- much.

INCLUDE PERFETTO MODULE pypto.critical_path;

-- Longest way from each node to the end, its own duration included.
CREATE PERFETTO TABLE _pypto_tail AS
SELECT
  id,
  finish AS tail
FROM _pypto_earliest_finish!(
  (
    SELECT
      dest_node_id AS source_node_id,
      source_node_id AS dest_node_id
    FROM _pypto_edge
  ),
  (
    SELECT id
    FROM _pypto_node
    WHERE id NOT IN (SELECT source_node_id FROM _pypto_edge)
  )
)
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

-- Each edge as a jump over places, with the longest way through it; ways start
-- before the first place and end behind the last one. Every way that avoids a
-- task jumps over its place.
CREATE PERFETTO TABLE _pypto_jump AS
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
ORDER BY
  from_place;

-- Bottlenecks: the tasks on every critical path, in topological order. No
-- critical way jumps over them; the others have no drag.
CREATE PERFETTO TABLE _pypto_bottleneck AS
WITH
  change AS MATERIALIZED (
    SELECT
      from_place + 1 AS place,
      1 AS ways
    FROM _pypto_jump
    WHERE
      length = (SELECT dur FROM pypto_static_path)
    UNION ALL
    SELECT
      to_place AS place,
      -1 AS ways
    FROM _pypto_jump
    WHERE
      length = (SELECT dur FROM pypto_static_path)
  ),
  beside AS MATERIALIZED (
    SELECT
      place,
      sum(sum(ways)) OVER (ORDER BY place) AS ways
    FROM change
    GROUP BY
      place
  )
SELECT
  s.id,
  s.place,
  row_number() OVER (ORDER BY s.place) AS rank
FROM _pypto_node_slack AS s
JOIN _pypto_node AS n
  USING (id)
JOIN beside AS b
  ON b.place = s.place
WHERE
  s.slack = 0 AND n.weight > 0 AND b.ways = 0
ORDER BY
  rank;

-- Jumps by the first and last bottleneck that they pass.
CREATE PERFETTO TABLE _pypto_detour AS
WITH
  mark AS MATERIALIZED (
    SELECT
      s.place,
      count(b.rank) OVER (ORDER BY s.place) AS up_to,
      b.rank IS NOT NULL AS is_bottleneck
    FROM _pypto_node_slack AS s
    LEFT JOIN _pypto_bottleneck AS b
      USING (id)
  )
SELECT
  coalesce(a.up_to, 0) + 1 AS from_rank,
  coalesce(b.up_to - b.is_bottleneck, (SELECT count() FROM _pypto_bottleneck))
    AS to_rank,
  max(j.length) AS length
FROM _pypto_jump AS j
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

-- Sizes of blocks of ranks: the powers of two.
CREATE PERFETTO TABLE _pypto_block_size AS
WITH RECURSIVE
  size(level, size) AS (
    SELECT
      0,
      1
    UNION ALL
    SELECT
      level + 1,
      size * 2
    FROM size
    WHERE
      size * 2 <= (SELECT count() FROM _pypto_bottleneck)
  )
SELECT
  level,
  size,
  level * (SELECT count() FROM _pypto_bottleneck) AS base
FROM size
ORDER BY
  level;

-- Longest detour around a block of ranks, as far as a jump has its length: two
-- blocks of one size cover any range. A block's id is base + first rank - 1.
CREATE PERFETTO TABLE _pypto_block AS
SELECT
  id,
  max(length) AS length
FROM (
  SELECT
    s.base + d.from_rank - 1 AS id,
    d.length
  FROM _pypto_detour AS d
  JOIN _pypto_block_size AS s
    ON s.size <= d.to_rank - d.from_rank + 1
    AND s.size * 2 > d.to_rank - d.from_rank + 1
  UNION ALL
  SELECT
    s.base + d.to_rank - s.size AS id,
    d.length
  FROM _pypto_detour AS d
  JOIN _pypto_block_size AS s
    ON s.size <= d.to_rank - d.from_rank + 1
    AND s.size * 2 > d.to_rank - d.from_rank + 1
  UNION ALL
  SELECT
    s.base + b.rank - 1 AS id,
    0 AS length
  FROM _pypto_block_size AS s
  JOIN _pypto_bottleneck AS b
)
GROUP BY
  id
ORDER BY
  id;

-- Each block hands its detour to its two halves.
CREATE PERFETTO TABLE _pypto_half AS
SELECT
  s.base + b.rank - 1 AS source_node_id,
  h.base + b.rank - 1 + half.offset * h.size AS dest_node_id
FROM _pypto_block_size AS s
JOIN _pypto_block_size AS h
  ON h.level = s.level - 1
JOIN _pypto_bottleneck AS b
JOIN (
  SELECT 0 AS offset
  UNION ALL
  SELECT 1 AS offset
) AS half
WHERE
  b.rank + s.size - 1 <= (SELECT count() FROM _pypto_bottleneck)
ORDER BY
  source_node_id;

-- Longest way around each bottleneck.
CREATE PERFETTO TABLE _pypto_around AS
SELECT
  b.id,
  w.length
FROM _graph_aggregating_scan!(
  _pypto_half,
  (
    SELECT id, length
    FROM _pypto_block
    WHERE id NOT IN (SELECT dest_node_id FROM _pypto_half)
  ),
  (length),
  (
    SELECT t.id, max(max(t.length), b.length) AS length
    FROM $table AS t
    JOIN _pypto_block AS b USING (id)
    GROUP BY t.id
  )
) AS w
JOIN _pypto_bottleneck AS b
  ON b.rank = w.id + 1
ORDER BY
  b.id;

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
SELECT
  s.id,
  s.finish AS earliest_finish,
  s.finish + s.slack AS latest_finish,
  s.slack,
  iif(
    a.id IS NULL,
    0,
    min(n.weight, (SELECT dur FROM pypto_static_path) - a.length)
  ) AS drag
FROM _pypto_node_slack AS s
JOIN _pypto_node AS n
  USING (id)
LEFT JOIN _pypto_around AS a
  USING (id)
WHERE
  n.kind = 'task'
ORDER BY
  s.id;
