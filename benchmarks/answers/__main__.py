"""Counts of each class of texts, and of those that may be shown what was missed.

    python -m benchmarks.answers [--set SET ...] [--kind KIND ...] [--variant VARIANT ...] [--show missed] [--council]

Sentences are shown of `seen` alone: whoever writes the code that reads sentences stays blind to the others.
"""

import argparse
from collections.abc import Sequence

from benchmarks.answers.bench import VARIANTS, Task, by_class, council_rows, outcomes, rows, tasks
from benchmarks.answers.texts import CLASSES, MAY_BE_SHOWN, SETS, load
from benchmarks.answers.trials import Outcome
from benchmarks.measure import table


def report(found: Sequence[tuple[Task, Outcome]], show: bool) -> str:
    lines = []
    for which in dict.fromkeys(task[0] for task, _ in found):
        for variant in dict.fromkeys(task[3] for task, _ in found):
            counts = by_class(found, lambda task, which=which, variant=variant: (task[0], task[3]) == (which, variant))  # type: ignore[misc]
            lines += [f"\n{which}, {variant}"] if counts else []
            for (kind, group), numbers in counts.items():
                said = ", ".join(f"{number} {name}" for name, number in numbers.items())
                lines.append(f"  {kind:<16} {group:<28} {said}")
    if show:
        for task, outcome in found:
            if task[0] in MAY_BE_SHOWN and outcome.failures:
                text = load(task[0], task[1])[task[2]]
                lines.append(f"\n[{outcome.kind} {outcome.group} {outcome.id} {task[3]}] {', '.join(outcome.failures)}")
                lines += [f"  has {fact['attribute']} = {fact['value']}" for fact in text.get("facts", ())]
                lines += ["  " + line.replace("\n", "\n    ") for line in outcome.said]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    parser.add_argument("--set", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--kind", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--variant", nargs="+", choices=VARIANTS, default=list(VARIANTS[:-1]))
    parser.add_argument("--show", choices=("missed",), help="the texts of `seen` that were missed, and what was said")
    parser.add_argument("--council", action="store_true", help="what a scripted engine says, too")
    parser.add_argument("--workers", type=int, default=None)
    chosen = parser.parse_args()
    wanted = [task for task in tasks(chosen.set, variants=chosen.variant) if task[1] in chosen.kind]
    found = outcomes(wanted, chosen.workers)
    print(table("answers", [*rows(found), *(council_rows() if chosen.council else ())]))
    print(report(found, chosen.show == "missed"))


if __name__ == "__main__":
    main()
