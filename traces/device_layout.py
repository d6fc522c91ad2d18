"""A simulated schedule in the layout that a device run has.

Without a device there is no device file, but the layout matters to readers of swimlanes: absolute
times, a coarser clock, idle cores left out, no hub tasks. Only the layout is a device's: the
schedule is the simulator's, and the control processors' stamps are invented.
"""

from typing import Any

SIMULATOR_MHZ = 1800
DEVICE_MHZ = 50
# The counter runs since boot: about four weeks, the order of magnitude of a server.
SINCE_BOOT_TICKS = 120_034_567_890_123

Block = dict[str, Any]


def device_profile(swim: list[Block]) -> list[Block]:
    """Turn `_simulate.swim.json` (cycles) into `tilefwk_L1_prof_data.json` (50 MHz ticks)."""

    def tick(cycle: int) -> int:
        return SINCE_BOOT_TICKS + round(cycle * DEVICE_MHZ / SIMULATOR_MHZ)

    profile = []
    for core in swim:
        if core["coreType"] not in ("AIC", "AIV") or not core["tasks"]:
            continue
        tasks = [
            {
                "seqNo": task["seqNo"],
                "taskId": task["taskId"],
                "subGraphId": task["subGraphId"],
                "execStart": tick(task["execStart"]),
                "execEnd": tick(task["execEnd"]),
            }
            for task in core["tasks"]
        ]
        profile.append({"blockIdx": core["blockIdx"], "coreType": core["coreType"], "tasks": tasks})
    return profile


def aicpu_stamps(profile: list[Block]) -> list[Block]:
    """Invent `machine_trace_perf_data_0.json`: one control and one scheduling processor.

    A stamp is the end of its phase, which began where the phase before it ended.
    """
    tasks = [task for core in profile for task in core["tasks"]]
    first = min(task["execStart"] for task in tasks)
    last = max(task["execEnd"] for task in tasks)
    control = [
        ("BEGIN_0", first - 900),
        ("ALLOC_THREAD_ID_0", first - 800),
        ("INIT_0", first - 600),
        ("DEV_TASK_BUILD_0(0)", first - 150),
        ("EXIT_0", last + 300),
    ]
    scheduler = [
        ("BEGIN_0", first - 890),
        ("ALLOC_THREAD_ID_0", first - 790),
        ("INIT_0", first - 500),
        ("CORE_HAND_SHAKE_0", first - 200),
        ("DEV_TASK_RCV_0(0)", first - 120),
        ("DEV_TASK_SEND_FIRST_CALLOP_TASK_0", first - 20),
        ("DEV_TASK_SCHED_EXEC_0(0)", last + 40),
        ("DEV_TASK_SYNC_CORE_STOP_0(0)", last + 60),
        ("DEV_TASK_RSP_0(0)", last + 70),
        ("WAIT_ALL_DEV_TASK_FINISH_0", last + 120),
        ("WAIT_CORE_EXIT_0", last + 220),
        ("EXIT_0", last + 280),
    ]
    return [
        {
            "blockIdx": index,
            "coreType": core_type,
            "freq": DEVICE_MHZ,
            "tasks": [{"name": name, "end": end} for name, end in stamps],
        }
        for index, (core_type, stamps) in enumerate(
            (("AICPU-CTRL", control), ("AICPU-SCHED", scheduler))
        )
    ]
