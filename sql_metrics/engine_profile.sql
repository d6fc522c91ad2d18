-- Engines over time: how many cores ran, how many tasks were ready, and what
-- the idle cores waited for. Per-core gaps say "tail" where tasks of the
-- engine are ready on other cores' queues: what an engine suffers is min(idle
-- cores, ready tasks).

INCLUDE PERFETTO MODULE pypto.core_step;

-- Start of each engine's last task: later idle time is no more work.
CREATE PERFETTO TABLE _pypto_engine_last AS
SELECT
  c.engine,
  c.core_count,
  coalesce(max(s.ts), (SELECT ts FROM pypto_span)) AS last_ts
FROM pypto_core_count AS c
LEFT JOIN _pypto_core_step AS s
  USING (engine)
GROUP BY
  c.engine
ORDER BY
  c.engine;

-- Equal slots of the makespan, for summaries over time.
CREATE PERFETTO TABLE _pypto_slot AS
WITH RECURSIVE
  slot(n) AS (
    SELECT 0
    UNION ALL
    SELECT n + 1
    FROM slot
    WHERE n < 59
  )
SELECT DISTINCT
  span.ts + span.dur * slot.n / 60 AS ts
FROM slot
JOIN pypto_span AS span
ORDER BY
  ts;

-- Changes of the number of running cores and ready tasks, in no order. Zero
-- changes cut the time at the run's ends, at each engine's last start and at
-- the slots.
CREATE PERFETTO TABLE _pypto_engine_event AS
-- The start of a task ends its wait, and sets its core running if it was idle.
SELECT
  engine,
  ts,
  work_ts = ts AND end_ts > ts AS running,
  -(ready_ts < ts) AS ready
FROM _pypto_core_piece
WHERE work_ts = ts AND end_ts > ts OR ready_ts < ts
UNION ALL
SELECT engine, ready_ts AS ts, 0 AS running, 1 AS ready
FROM _pypto_core_piece
WHERE ready_ts < ts
UNION ALL
SELECT engine, work_ts AS ts, 1 AS running, 0 AS ready
FROM _pypto_core_piece
WHERE work_ts > ts AND end_ts > work_ts
UNION ALL
SELECT engine, end_ts AS ts, -1 AS running, 0 AS ready
FROM _pypto_core_piece
WHERE end_ts > work_ts
UNION ALL
SELECT engine, last_ts AS ts, 0 AS running, 0 AS ready
FROM _pypto_engine_last
UNION ALL
SELECT c.engine, s.ts, 0 AS running, 0 AS ready
FROM pypto_core_count AS c
JOIN _pypto_slot AS s
UNION ALL
SELECT c.engine, s.end_ts AS ts, 0 AS running, 0 AS ready
FROM pypto_core_count AS c
JOIN pypto_span AS s;

-- The same, one row for each moment: the next table takes longest, by rows.
CREATE PERFETTO TABLE _pypto_engine_change AS
SELECT
  engine,
  ts,
  sum(running) AS running,
  sum(ready) AS ready
FROM _pypto_engine_event
GROUP BY
  engine,
  ts
ORDER BY
  engine,
  ts;

-- Running cores and ready tasks between changes, with the slot. Engines need
-- no partition: each ends with nothing running and nothing ready.
CREATE PERFETTO TABLE _pypto_engine_level AS
SELECT
  c.engine,
  c.ts,
  iif(n.engine = c.engine, n.ts - c.ts, 0) AS dur,
  sum(c.running) OVER change_order AS running,
  sum(c.ready) OVER change_order AS ready,
  -- The last slot that has begun: n with span.dur * n / 60 <= ts - span.ts.
  (60 * (c.ts - (SELECT ts FROM pypto_span) + 1) - 1)
    / (SELECT dur FROM pypto_span) AS slot
FROM _pypto_engine_change AS c
LEFT JOIN _pypto_engine_change AS n
  ON n._auto_id = c._auto_id + 1
WINDOW
  change_order AS (ORDER BY c._auto_id ROWS UNBOUNDED PRECEDING);

-- What the cores did between changes, and in which slot.
CREATE PERFETTO VIEW _pypto_engine_piece AS
SELECT
  r.engine,
  r.slot,
  r.ts,
  r.dur,
  r.running,
  r.ready,
  r.running * r.dur AS busy,
  iif(
    r.ts < e.last_ts,
    min(e.core_count - r.running, r.ready) * r.dur,
    0
  ) AS starved,
  iif(
    r.ts < e.last_ts,
    max(e.core_count - r.running - r.ready, 0) * r.dur,
    0
  ) AS blocked,
  iif(r.ts < e.last_ts, 0, (e.core_count - r.running) * r.dur) AS drained
FROM _pypto_engine_level AS r
-- CROSS: the levels in front, in their order.
CROSS JOIN _pypto_engine_last AS e
  USING (engine);

-- Running cores and ready tasks over time.
CREATE PERFETTO VIEW pypto_engine_profile(
  -- Engine.
  engine STRING,
  -- Start of the interval.
  ts TIMESTAMP,
  -- Duration of the interval; 0 for the last row, at the end of the run.
  dur DURATION,
  -- Cores that run a task.
  running LONG,
  -- Tasks whose predecessors have ended and that have not started.
  ready LONG,
  -- Core time with a task: running * dur.
  busy DURATION,
  -- Idle core time for which a ready task existed: scheduling wait.
  starved DURATION,
  -- Other idle core time while tasks of the engine had yet to start:
  -- dependency wait.
  blocked DURATION,
  -- Idle core time after the engine's last task started: no more work.
  drained DURATION
) AS
SELECT
  engine,
  ts,
  dur,
  running,
  ready,
  busy,
  starved,
  blocked,
  drained
FROM _pypto_engine_piece;

-- What the cores did in each slot.
CREATE PERFETTO TABLE _pypto_engine_slot AS
SELECT
  engine,
  slot,
  min(ts) AS ts,
  sum(dur) AS dur,
  sum(busy) AS busy,
  sum(starved) AS starved,
  sum(blocked) AS blocked,
  sum(drained) AS drained
FROM _pypto_engine_piece
GROUP BY
  engine,
  slot
ORDER BY
  engine,
  slot;
