"""What all benchmarks share: doing two things in turns, medians, memory, and the table.

CPU time (`process_time`) is what is compared: it does not count what other programs on the machine do, or how long a
disk takes. Wall time is shown where a rate is promised.
"""

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """One figure. `target` with `sense` says when it passes; a row without a target is for reading only."""

    what: str
    figure: float
    unit: str
    target: float | None = None
    sense: str = "at most"  # or "at least"
    note: str = ""

    @property
    def passed(self) -> bool:
        if self.target is None:
            return True
        return self.figure <= self.target if self.sense == "at most" else self.figure >= self.target

    def shown(self) -> dict[str, object]:
        return {**asdict(self), "passed": self.passed}


def cpu_of(work: Callable[[], object]) -> float:
    """CPU seconds of one call, without a garbage collection in the middle of it."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def in_turns(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> tuple[float, float, float]:
    """Run both in turns; return the median CPU seconds of each and the median of the ratios ours / theirs."""
    ours()
    theirs()
    pairs = [(cpu_of(ours), cpu_of(theirs)) for _ in range(rounds)]
    ratios = [mine / other for mine, other in pairs]
    return (
        statistics.median(mine for mine, _ in pairs),
        statistics.median(other for _, other in pairs),
        statistics.median(ratios),
    )


def wall_and_cpu(work: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def rss_bytes() -> int:
    """Memory this process holds now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _number(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}"


def table(name: str, rows: list[Row]) -> str:
    lines = [("", name, "figure", "target", "")]
    for row in rows:
        target = "" if row.target is None else f"{row.sense} {_number(row.target)}"
        mark = "" if row.target is None else "PASS" if row.passed else "MISS"
        lines.append((mark, row.what, f"{_number(row.figure)} {row.unit}".strip(), target, row.note))
    widths = [max(len(line[at]) for line in lines) for at in range(4)]
    return "\n".join(
        f"{mark:<{widths[0]}}  {what:<{widths[1]}}  {figure:>{widths[2]}}  {target:<{widths[3]}}  {note}".rstrip()
        for mark, what, figure, target, note in lines
    )
