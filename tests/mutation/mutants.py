"""Deliberate mistakes in the SQL pack: (module, the right text, the wrong text), each one plausible."""

from __future__ import annotations

MUTANTS = [
    # dependency: readiness, hubs, backward edges
    (
        "edge",
        "WHEN 'hub' THEN 1 WHEN 'off_core' THEN 2 ELSE 0 END\n    AS transparent",
        "WHEN 'hub' THEN 0 WHEN 'off_core' THEN 2 ELSE 0 END\n    AS transparent",
    ),
    (
        "edge",
        "WHEN 'hub' THEN 1 WHEN 'off_core' THEN 2 ELSE 0 END\n    AS transparent",
        "WHEN 'hub' THEN 1 WHEN 'off_core' THEN 1 ELSE 0 END\n    AS transparent",
    ),
    ("edge", "  end_ts,\n  id DESC;", "  end_ts,\n  id;"),
    (
        "edge",
        "max(iif(transparent != 1, place, NULL))",
        "min(iif(transparent != 1, place, NULL))",
    ),
    (
        "edge",
        "WHERE e.transparent = 1 AND n.transparent = 1\n",
        "WHERE e.transparent = 1 AND n.transparent = 9\n",
    ),
    (
        "edge",
        "max((SELECT ts FROM pypto_span), coalesce(e.end_ts, 0)) AS ready_ts",
        "coalesce(e.end_ts, 0) AS ready_ts",
    ),
    ("edge", "coalesce(h.place, -1)) AS real_place", "-1) AS real_place"),
    (
        "edge",
        "coalesce(o.place, -1)) AS task_place",
        "coalesce(h.place, -1)) AS task_place",
    ),
    (
        "dependency",
        "WHERE\n  p.end_ts > t.ts\nORDER BY\n  dst",
        "WHERE\n  p.end_ts >= t.ts\nORDER BY\n  dst",
    ),
    (
        "dependency",
        "WHERE l.end_ts > b.ts OR (l.end_ts = b.ts AND b.dur = 0)",
        "WHERE l.end_ts > b.ts + 1",
    ),
    # core: the split
    (
        "core_step",
        "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
        "ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING",
    ),
    ("core_step", "p.core = t.core AND p.end_ts > t.ts", "p.end_ts < t.ts"),
    ("core_step", "iif(p.core = t.core, p.id, NULL) AS prev_id", "p.id AS prev_id"),
    ("core_step", "max(ts, coalesce(prev_end, ts)) AS work_ts", "ts AS work_ts"),
    ("core", "sum(iif(is_startup, 0, ts - cut_ts))", "sum(ts - cut_ts)"),
    (
        "core_step",
        "min(max(ready_ts, coalesce(prev_end, (SELECT ts FROM pypto_span))), ts)",
        "min(ready_ts, ts)",
    ),
    (
        "core_step",
        "min(max(ready_ts, coalesce(prev_end, (SELECT ts FROM pypto_span))), ts)",
        "max(ready_ts, coalesce(prev_end, (SELECT ts FROM pypto_span)))",
    ),
    ("core", "iif(is_startup, 'startup_predecessor', 'wait_predecessor')", "'wait_predecessor'"),
    (
        "core",
        "iif(is_startup, 'startup_schedule', 'wait_schedule')",
        "iif(is_startup, 'startup_schedule', 'wait_predecessor')",
    ),
    (
        "core",
        "(SELECT end_ts FROM pypto_span) - s.end_ts, 0) AS tail",
        "(SELECT dur FROM pypto_span) - s.end_ts, 0) AS tail",
    ),
    ("core", "coalesce(s.total - s.busy, 0) AS overlap", "0 AS overlap"),
    ("core", "coalesce(s.busy, 0) AS busy", "coalesce(s.total, 0) AS busy"),
    # log
    ("log", "WHERE\n  NOT lane GLOB 'Fake Core*'", "WHERE\n  kind = 'task'"),
    ("log", "  t.core,\n  t.id;", "  t.core,\n  t.ts;"),
    ("log", "iif(p.core = t.core, p.end_ts, _pypto_log_start())", "coalesce(p.end_ts, 0)"),
    (
        "log",
        "ts - max(prev_end, ready_ts) AS wait_schedule",
        "max(ts - max(prev_end, ready_ts), 0) AS wait_schedule",
    ),
    ("log", "ts - prev_end AS total_wait", "max(ts - prev_end, 0) AS total_wait"),
    # a log beside the input
    ("log_check", "2 * votes > voters", "votes > 0"),
    (
        "log_check",
        "CAST(round(avg(b.core_total_work)) AS INTEGER) AS amount",
        "min(b.core_total_work) AS amount",
    ),
    (
        "log_check",
        "iif(o.wait_schedule > o.wait_predecessor, s.lost * min(o.task_count, 1), 0)",
        "s.lost * min(o.task_count, 1)",
    ),
    ("log_check", "2 * l.task_count + 1 AS wait_rounding", "2 AS wait_rounding"),
    ("log_check", "f.factor NOT BETWEEN 0.9 AND 1.1\n      AND ", ""),
    ("log_check", "    WHEN o.printed_task_count != o.task_count THEN 'task_count'\n", ""),
    ("log_check", "p.task_count > 0 AND p.core NOT IN", "p.core NOT IN"),
    ("log_check", "s.task_count > 0\n  AND s.core NOT IN", "s.core NOT IN"),
    ("log_bridge", "max(l.prev_end, span.ts) AS own_prev", "l.prev_end AS own_prev"),
    (
        "log_bridge",
        "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
        "ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING",
    ),
    (
        "log_bridge",
        "WINDOW core_order AS (PARTITION BY t.core ORDER BY t.ts, t.end_ts, t.id)",
        "WINDOW core_order AS (PARTITION BY t.core ORDER BY t.id)",
    ),
    (
        "log_bridge",
        "ts - max(before_end, ready_ts) AS hub_schedule",
        "ts - max(before_end, hub_ready) AS hub_schedule",
    ),
    ("log_bridge", "max(ts - prev_end, 0) AS own_wait", "ts - prev_end AS own_wait"),
    (
        "log_bridge",
        "max(max(ts - prev_end, 0) - max(ready_ts - prev_end, 0), 0) AS own_schedule",
        "max(ts - prev_end, 0) - max(ready_ts - prev_end, 0) AS own_schedule",
    ),
    (
        "log_bridge",
        "r.overlap - s.overlap AS core_total_work",
        "r.overlap AS core_total_work",
    ),
    (
        "log_bridge",
        "-startup_schedule AS wait_schedule",
        "-startup AS wait_schedule",
    ),
    ("log_bridge", "iif(s.task_count > 0, 'tail', 'idle')", "'tail'"),
    ("log_bridge", "span.dur - s.busy AS total_wait", "span.dur AS total_wait"),
    # engine
    (
        "engine_profile",
        "1 AS ready\nFROM _pypto_core_piece\nWHERE ready_ts < ts",
        "1 AS ready\nFROM _pypto_core_piece\nWHERE ready_ts <= ts",
    ),
    ("engine_profile", "  work_ts = ts AND end_ts > ts AS running", "  end_ts > ts AS running"),
    ("engine_profile", "WHERE work_ts > ts AND end_ts > work_ts", "WHERE work_ts > end_ts"),
    ("engine_profile", "iif(n.engine = c.engine, n.ts - c.ts, 0) AS dur", "n.ts - c.ts AS dur"),
    ("engine_profile", "min(e.core_count - r.running, r.ready) * r.dur", "r.ready * r.dur"),
    (
        "engine_profile",
        "min(e.core_count - r.running, r.ready) * r.dur",
        "(e.core_count - r.running) * r.dur",
    ),
    (
        "engine_profile",
        "max(e.core_count - r.running - r.ready, 0) * r.dur",
        "(e.core_count - r.running - r.ready) * r.dur",
    ),
    (
        "engine_profile",
        "coalesce(max(s.ts), (SELECT ts FROM pypto_span)) AS last_ts",
        "coalesce(max(s.end_ts), (SELECT ts FROM pypto_span)) AS last_ts",
    ),
    (
        "engine_state",
        "CAST(sum(e.busy) AS DOUBLE)\n    / nullif(sum(c.core_count) *",
        "CAST(sum(e.busy) AS DOUBLE)\n    / nullif(max(c.core_count) *",
    ),
    (
        "engine",
        "CAST(c.wait_schedule AS DOUBLE) / nullif(c.busy + c.wait_schedule, 0)",
        "CAST(c.wait_schedule AS DOUBLE) / nullif(c.busy, 0)",
    ),
    (
        "engine",
        "CAST(c.max_busy - c.min_busy AS DOUBLE) / nullif(c.max_busy, 0)",
        "CAST(c.max_busy - c.min_busy AS DOUBLE) / nullif(c.min_busy, 0)",
    ),
    (
        "engine",
        "CAST(c.max_busy * c.used_core_count - c.busy AS DOUBLE) / nullif(c.busy, 0)",
        "CAST(c.max_busy - c.busy AS DOUBLE) / nullif(c.busy, 0)",
    ),
    (
        "engine",
        "sum(dur < (SELECT _pypto_small_task_ns())) AS small_task_count",
        "sum(dur <= (SELECT _pypto_small_task_ns())) AS small_task_count",
    ),
    ("engine", "l.core_total_work - l.total_wait + l.wait_schedule", "l.core_total_work"),
    (
        "engine",
        "/ nullif(l.core_total_work, 0)\n      ) AS skill_core_utilization",
        "/ nullif(s.busy, 0)\n      ) AS skill_core_utilization",
    ),
    ("engine", "    WHERE\n      s.task_count > 0\n", ""),
    (
        "engine",
        "CAST(c.max_busy AS DOUBLE) / nullif(z.dur, 0) AS serialization",
        "CAST(c.min_busy AS DOUBLE) / nullif(z.dur, 0) AS serialization",
    ),
    # critical path
    ("graph", "max(finish) AS start", "min(finish) AS start"),
    (
        "graph",
        "    WHERE\n      b.level <= a.level",
        "    WHERE\n      b.level < a.level - 99",
    ),
    (
        "critical_path",
        "WHEN d.end_ts >= coalesce(c.end_ts, d.end_ts) THEN 'data_wait'",
        "WHEN d.end_ts > coalesce(c.end_ts, d.end_ts) THEN 'data_wait'",
    ),
    (
        "critical_path",
        "WHEN d.end_ts >= coalesce(c.end_ts, d.end_ts) THEN d.id",
        "WHEN d.end_ts <= coalesce(c.end_ts, d.end_ts) THEN d.id",
    ),
    (
        "critical_path",
        "ORDER BY end_ts DESC, ts DESC, id DESC",
        "ORDER BY ts DESC, end_ts DESC, id DESC",
    ),
    (
        "critical_path",
        "p.end_ts <= t.ts AND (p.ts, p.end_ts, p.src) < (t.ts, t.end_ts, t.id)",
        "(p.ts, p.end_ts, p.src) < (t.ts, t.end_ts, t.id)",
    ),
    (
        "critical_path",
        "(p.end_ts > t.ts OR p.end_ts <= coalesce(p.prev_end, -1))",
        "p.end_ts > t.ts",
    ),
    (
        "critical_path",
        "(p.end_ts > t.ts OR p.end_ts <= coalesce(p.prev_end, -1))",
        "p.end_ts <= coalesce(p.prev_end, -1)",
    ),
    ("critical_path", "ORDER BY ts, row, is_end", "ORDER BY ts, is_end, row"),
    ("critical_path", "ELSE 'front'", "ELSE 'core_wait'"),
    # nodes, from slices and from columns
    ("node", "iif(s.category = 'task', s.dur, 0) AS weight", "s.dur AS weight"),
    ("node", "iif(a.kind = 'task', e.value - s.value, 0)", "e.value - s.value"),
    ("node", "|| extract_arg(n.arg_set_id, 'debug.psg_id')", "|| '0'"),
    ("node", "ON a._auto_id = t.value", "ON a._auto_id = s._auto_id"),
    ("node", "value & 0xffffffff AS src", "value & 0x7 AS src"),
    ("task", "WHERE c._auto_id = $node.id", "WHERE c._auto_id = $node.seq"),
    # efficiency
    ("efficiency", "WHERE d.id IS NULL AND p.prev_id IS NULL", "WHERE d.id IS NULL"),
    # subgraph
    ("subgraph", "percentile(dur, 50) AS median", "avg(dur) AS median"),
    ("subgraph", "percentile(dur, 90) AS p90", "percentile(dur, 95) AS p90"),
    ("subgraph", "count(DISTINCT core) AS core_count", "count(core) AS core_count"),
    ("subgraph", "coalesce(min(label), '') AS label", "coalesce(max(label), '') AS label"),
    # stitch
    (
        "stitch",
        "lead(b.ts) OVER (ORDER BY b.ts, b.seq) - b.end_ts AS gap_to_next",
        "max(lead(b.ts) OVER (ORDER BY b.ts, b.seq) - b.end_ts, 0) AS gap_to_next",
    ),
    ("stitch", "PARTITION BY seq, core", "PARTITION BY seq"),
    ("stitch", "lead(b.ts) OVER (ORDER BY b.ts, b.seq)", "lead(b.ts) OVER (ORDER BY b.seq)"),
    # run
    (
        "critical_path",
        "max(CAST(dur AS DOUBLE), (SELECT max(per_core) FROM work))",
        "max(CAST(dur AS DOUBLE), (SELECT min(per_core) FROM work))",
    ),
    (
        "summary",
        "(SELECT count() FROM pypto_dependency) AS dependency_count",
        "(SELECT count() FROM pypto_ready) AS dependency_count",
    ),
    (
        "summary",
        "nullif(_pypto_control_time() + b.work, 0)",
        "nullif(b.work, 0)",
    ),
    # slack and drag
    (
        "slack",
        "p.dur - t.tail - f.finish + n.weight AS slack",
        "p.dur - t.tail - f.finish AS slack",
    ),
    ("slack", "a.finish + b.tail AS length", "a.finish AS length"),
    ("slack", "from_place + 1 AS place", "from_place AS place"),
    ("slack", "max(max(t.length), b.length) AS length", "min(max(t.length), b.length) AS length"),
    ("slack", "min(n.weight, (SELECT dur", "max(n.weight, (SELECT dur"),
    ("slack", "s.base + d.to_rank - s.size AS id", "s.base + d.from_rank - 1 AS id"),
    # what-if
    ("what_if", "s.dur - v.makespan AS saved", "v.makespan AS saved"),
    (
        "what_if",
        "WHERE\n      p.scenario = 'faster' AND s.path_time > 0",
        "WHERE\n      p.scenario = 'faster'",
    ),
    # AICPU
    ("aicpu", "s.ts - min(p.ts) AS head", "min(p.ts) - s.ts AS head"),
    ("aicpu", "max(p.ts + p.dur) - s.end_ts AS tail", "max(p.ts) - s.end_ts AS tail"),
    ("aicpu", "WHERE\n  thread GLOB 'AICPU-CTRL*'", "WHERE\n  thread GLOB 'AICPU-*'"),
]
