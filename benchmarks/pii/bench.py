"""Detection of personal data: how quickly short, long, dense and hostile texts and JSON are read."""

from collections.abc import Iterable

from benchmarks.measure import Row
from benchmarks.pii.speed import figures, growth

_LEAST = {"short texts": 2.0, "short texts, nobody in them": 2.0, "4 kB": 2.0, "64 kB": 2.0, "64 kB of logs": 2.0}
_MOST_JSON = 250.0


def run(full: bool) -> Iterable[Row]:
    for name, figure in figures().items():
        if name.endswith(", ms"):
            yield Row(name.removesuffix(", ms"), figure, "ms")
        elif name.endswith(", us"):
            yield Row(name.removesuffix(", us"), figure, "us", _MOST_JSON, "at most")
        else:
            yield Row(name, figure, "MB/s", _LEAST.get(name), "at least")
    from mace.governance.detectors import detect

    ratio, name = growth(detect, 40_000 if full else 8_000)
    yield Row("worst hostile text, doubled", ratio, "times", 2.6, "at most", note=name)
