"""Queries for a UI that doesn't know the SQL package: on the slices of an enriched trace alone.

Each is one SELECT without `;`: fit for a result tab and, with `ts, dur, name`, for a debug track.
The numbers are those of the package, which drew the slices that are summed here.
"""

from __future__ import annotations

#: Where each engine's core time went.
ENGINES = """
SELECT
  engine,
  (
    SELECT count() FROM slice AS s JOIN track AS t ON s.track_id = t.id
    WHERE s.category = 'task' AND t.name GLOB engine || '_*'
  ) AS tasks,
  round(100.0 * sum(busy) / sum(total), 1) AS busy_percent,
  round(100.0 * sum(starved) / sum(total), 1) AS scheduling_wait_percent,
  round(100.0 * sum(blocked) / sum(total), 1) AS dependency_wait_percent,
  round(100.0 * sum(drained) / sum(total), 1) AS no_more_work_percent,
  round(sum(busy) / 1e3, 2) AS busy_us
FROM (
  SELECT
    substr(t.name, 1, instr(t.name, ' ') - 1) AS engine,
    extract_arg(s.arg_set_id, 'debug.core_ns.busy') AS busy,
    extract_arg(s.arg_set_id, 'debug.core_ns.starved') AS starved,
    extract_arg(s.arg_set_id, 'debug.core_ns.blocked') AS blocked,
    extract_arg(s.arg_set_id, 'debug.core_ns.drained') AS drained,
    extract_arg(s.arg_set_id, 'debug.core_ns.busy')
      + extract_arg(s.arg_set_id, 'debug.core_ns.starved')
      + extract_arg(s.arg_set_id, 'debug.core_ns.blocked')
      + extract_arg(s.arg_set_id, 'debug.core_ns.drained') AS total
  FROM slice AS s JOIN track AS t ON s.track_id = t.id
  WHERE s.category = 'engine_state'
)
GROUP BY engine ORDER BY engine
"""

#: Idle time of the cores by cause.
CAUSES = """
SELECT name AS cause, count() AS gaps, round(sum(dur) / 1e3, 2) AS core_us,
  round(max(dur) / 1e3, 2) AS longest_us
FROM slice WHERE category = 'bubble' GROUP BY name ORDER BY sum(dur) DESC
"""

#: Each core: what it did with the makespan, the least busy first.
CORES = """
SELECT
  core,
  sum(category = 'task') AS tasks,
  round((max(end_ts) - min(ts) - sum(iif(category = 'bubble', dur, 0))) / 1e3, 2) AS busy_us,
  round(sum(iif(name GLOB 'dependency wait*' AND category = 'bubble', dur, 0)) / 1e3, 2)
    AS dependency_wait_us,
  round(sum(iif(name GLOB 'scheduling wait*' AND category = 'bubble', dur, 0)) / 1e3, 2)
    AS scheduling_wait_us,
  round(sum(iif(name GLOB 'no *' AND category = 'bubble', dur, 0)) / 1e3, 2) AS no_more_work_us
FROM (
  SELECT t.name AS core, s.category, s.name, s.ts, s.dur, s.ts + s.dur AS end_ts
  FROM slice AS s JOIN track AS t ON s.track_id = t.id
  WHERE s.category IN ('task', 'bubble')
)
GROUP BY core ORDER BY busy_us
"""

#: Isomorphic subgraphs, the most time first.
SUBGRAPHS = """
SELECT
  coalesce(
    extract_arg(s.arg_set_id, 'debug.leaf_hash'),
    extract_arg(s.arg_set_id, 'debug.root_index')
      || '-' || extract_arg(s.arg_set_id, 'debug.psg_id')
  ) AS leaf_hash,
  substr(t.name, 1, instr(t.name, '_') - 1) AS engine,
  min(s.name) AS name,
  count() AS tasks,
  round(sum(s.dur) / 1e3, 2) AS total_us,
  round(median(s.dur) / 1e3, 2) AS median_us,
  round(max(s.dur) / 1e3, 2) AS longest_us
FROM slice AS s JOIN track AS t ON s.track_id = t.id
WHERE s.category = 'task'
GROUP BY leaf_hash, engine ORDER BY sum(s.dur) DESC
"""

#: Those whose median task is small.
SMALL_SUBGRAPHS = f"""
SELECT * FROM ({SUBGRAPHS})
WHERE median_us * 1e3 < (
  SELECT extract_arg(arg_set_id, 'debug.small_task_ns') AS ns
  FROM slice WHERE category = 'run' AND ns IS NOT NULL ORDER BY id DESC LIMIT 1
)
"""

#: The observed critical path, step by step.
PATH = """
SELECT round(ts / 1e3, 2) AS start_us, round(dur / 1e3, 2) AS us,
  iif(category = 'critical_path', 'task', 'gap') AS kind, name,
  coalesce(
    extract_arg(arg_set_id, 'debug.task') || ' on ' || extract_arg(arg_set_id, 'debug.core'),
    'before ' || extract_arg(arg_set_id, 'debug.next_task')
  ) AS what
FROM slice WHERE category GLOB 'critical_path*' ORDER BY ts, dur
"""

#: The longest gaps of the observed path, as slices.
LONGEST_GAPS = """
SELECT ts, dur, printf('%.2f µs ', dur / 1e3) || name AS name
FROM slice WHERE category = 'critical_path_gap' ORDER BY dur DESC, ts LIMIT 3
"""

#: The longest waits of the cores, as slices.
LONGEST_WAITS = """
SELECT s.ts, s.dur, s.name || ' on ' || t.name AS name
FROM slice AS s JOIN track AS t ON s.track_id = t.id
WHERE s.category = 'bubble' AND s.name GLOB '* wait*' ORDER BY s.dur DESC LIMIT 20
"""

#: Tasks shorter than the threshold, as slices.
SMALL_TASKS = """
SELECT s.ts, s.dur, s.name || ' on ' || t.name AS name
FROM slice AS s JOIN track AS t ON s.track_id = t.id
WHERE s.category = 'task' AND s.dur < (
  SELECT extract_arg(arg_set_id, 'debug.small_task_ns') AS ns
  FROM slice WHERE category = 'run' AND ns IS NOT NULL ORDER BY id DESC LIMIT 1
)
ORDER BY s.ts
"""

#: Most cores that ran and most tasks that were ready at a time.
READY = """
SELECT t.name AS counter, CAST(max(c.value) AS INTEGER) AS most
FROM counter AS c JOIN track AS t ON c.track_id = t.id
WHERE t.name GLOB 'Ready *' OR t.name GLOB 'Running *' GROUP BY t.name ORDER BY t.name
"""


def text(value: object) -> str:
    """A SQL literal of a text."""
    return "'" + str(value).replace("'", "''") + "'"


def subgraph_slices(leaf_hash: str, engine: str) -> str:
    """The tasks of a subgraph, as slices."""
    return f"""
    SELECT s.ts, s.dur, s.name || ' on ' || t.name AS name
    FROM slice AS s JOIN track AS t ON s.track_id = t.id
    WHERE s.category = 'task' AND t.name GLOB {text(engine + "_*")} AND coalesce(
      extract_arg(s.arg_set_id, 'debug.leaf_hash'),
      extract_arg(s.arg_set_id, 'debug.root_index')
        || '-' || extract_arg(s.arg_set_id, 'debug.psg_id')
    ) = {text(leaf_hash)} ORDER BY s.ts
    """


def arguments_of(slice_id: int) -> str:
    """The arguments of a slice, in their order."""
    return f"""
    SELECT replace(a.key, 'debug.', '') AS key, a.display_value AS value
    FROM slice AS s JOIN args AS a USING (arg_set_id) WHERE s.id = {slice_id} ORDER BY a.id
    """


def core_slices(core: str) -> str:
    """What a core did, summed by name."""
    return f"""
    SELECT s.name, s.category, count() AS n, round(sum(s.dur) / 1e3, 2) AS us
    FROM slice AS s JOIN track AS t ON s.track_id = t.id
    WHERE t.name = {text(core)} AND s.category IN ('task', 'bubble')
    GROUP BY s.name, s.category ORDER BY sum(s.dur) DESC
    """
