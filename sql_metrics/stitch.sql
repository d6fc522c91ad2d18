-- Device tasks: one per seqNo, the batches that stitching forms.

INCLUDE PERFETTO MODULE pypto.core;

-- One row per device task, in order of their starts.
CREATE PERFETTO TABLE pypto_stitch_stats(
  -- Number of the device task.
  seq_no LONG,
  -- First start.
  ts TIMESTAMP,
  -- Tasks.
  task_count LONG,
  -- From the first start to the last end.
  span DURATION,
  -- From the last end to the next device task's first start; negative where
  -- they overlap, NULL for the last one.
  gap_to_next DURATION,
  -- Busy share of all cores within the span, 0..1.
  utilization DOUBLE
) AS
WITH
  -- Where tasks of a core overlap, those of a device task count once.
  piece AS MATERIALIZED (
    SELECT
      seq,
      end_ts - max(
        ts,
        coalesce(
          max(end_ts) OVER (
            PARTITION BY seq, core
            ORDER BY ts, end_ts, id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ),
          ts
        )
      ) AS dur
    FROM _pypto_task
    WHERE
      core IN (SELECT core FROM _pypto_overlapping)
  ),
  busy AS MATERIALIZED (
    SELECT
      seq,
      sum(busy) AS busy
    FROM (
      SELECT seq, max(dur, 0) AS busy FROM piece
      UNION ALL
      SELECT seq, sum(dur) AS busy
      FROM _pypto_task
      WHERE core NOT IN (SELECT core FROM _pypto_overlapping)
      GROUP BY seq
    )
    GROUP BY
      seq
  ),
  batch AS MATERIALIZED (
    SELECT
      seq,
      min(ts) AS ts,
      max(end_ts) AS end_ts,
      count() AS task_count
    FROM _pypto_task
    GROUP BY
      seq
  )
SELECT
  b.seq AS seq_no,
  b.ts,
  b.task_count,
  b.end_ts - b.ts AS span,
  lead(b.ts) OVER (ORDER BY b.ts, b.seq) - b.end_ts AS gap_to_next,
  CAST(busy.busy AS DOUBLE)
    / nullif(_pypto_core_total() * (b.end_ts - b.ts), 0) AS utilization
FROM batch AS b
JOIN busy
  USING (seq)
ORDER BY
  b.ts,
  b.seq;
