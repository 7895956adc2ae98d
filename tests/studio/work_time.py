"""How soon long work of a studio ends after it was cancelled, by the processor time of its threads."""

import os
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
QUIET = 0.15  # s without processor time: the work has ended


def processor_times(process):
    """Seconds by thread."""
    found = {}
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        try:
            fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it ended meanwhile
            continue
        found[task.name] = (int(fields[11]) + int(fields[12])) / TICK
    return found


def busiest(before, after):
    return max(after, key=lambda thread: after[thread] - before.get(thread, 0))


def after_cancel(server, page, command, arguments, wait):
    """Runs a command for `wait` seconds and cancels its work. None: it was done before. Else `told`: seconds until the
    page hears that there is no work, `ended`: until the thread of the work takes no more processor time, `processor`:
    how much of that it took, and the `stage` that was cancelled."""
    start = processor_times(server.process)
    answer = page.do(command, **arguments)
    if "error" in answer:
        raise RuntimeError(answer)
    begun = time.monotonic()
    page.until(lambda: page.state["job"] is not None or time.monotonic() > begun + 5)
    while time.monotonic() < begun + wait and page.state["job"] is not None:
        page.take()
    if page.state["job"] is None:
        return None
    stage = page.state["job"]["stage"]
    now = processor_times(server.process)
    worker = busiest(start, now)
    cancelled = time.monotonic()
    spent = now[worker]
    page.do("job.cancel")
    page.until(lambda: page.state["job"] is None)
    told = time.monotonic() - cancelled
    last, moved = spent, cancelled
    while time.monotonic() < moved + QUIET:
        time.sleep(0.01)
        here = processor_times(server.process).get(worker, last)
        if here > last:
            last, moved = here, time.monotonic()
    return {"stage": stage, "told": told, "ended": moved - cancelled, "processor": last - spent}
