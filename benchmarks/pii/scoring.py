"""Scores: a finding counts when its type is right and it shares more than half with the true span."""

from collections import Counter
from dataclasses import dataclass, field

from samples import Sample
from tools import Found, Tool


@dataclass
class Score:
    hit: Counter = field(default_factory=Counter)
    missed: Counter = field(default_factory=Counter)
    false: Counter = field(default_factory=Counter)

    def totals(self, types: set[str] | None = None) -> tuple[float, float, float]:
        """Return micro precision, recall and F1, over some types or all."""
        pick = lambda counts: sum(n for kind, n in counts.items() if types is None or kind in types)
        hit, missed, false = pick(self.hit), pick(self.missed), pick(self.false)
        precision = hit / (hit + false) if hit + false else 0.0
        recall = hit / (hit + missed) if hit + missed else 0.0
        return precision, recall, 2 * precision * recall / (precision + recall) if hit else 0.0


def overlap(a: tuple[int, int], b: tuple[int, int]) -> float:
    inter = min(a[1], b[1]) - max(a[0], b[0])
    return max(0, inter) / (max(a[1], b[1]) - min(a[0], b[0]))


def score(tool: Tool, samples: list[Sample], show=None) -> Score:
    """Score a tool; `show(sample, missed, false)` is called for every sample with a fault."""
    result = Score()
    for sample in samples:
        found: list[Found] = list(tool(sample.text))
        used: set[int] = set()
        missed = []
        for gold in sample.gold:
            matches = [
                at
                for at, (kind, start, end) in enumerate(found)
                if kind == gold.type and overlap((start, end), (gold.start, gold.end)) > 0.5
            ]
            used.update(matches)
            (result.hit if matches else result.missed)[gold.type] += 1
            if not matches:
                missed.append(gold)
        false = [item for at, item in enumerate(found) if at not in used]
        for kind, _, _ in false:
            result.false[kind] += 1
        if show is not None and (missed or false):
            show(sample, missed, false)
    return result
