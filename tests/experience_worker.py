"""A process of its own on a store of experience: it counts, acknowledges until it is killed, or holds the store.

python experience_worker.py KIND PLACE count N | write | hold | full
"""

import sys

from experience_samples import megram, megram_id, open_at, pair
from mace.core.errors import MaceError
from mace.storage.experience_ports import Experience, ExperienceStore

ROWS_PER_UNIT = 5


def step(x: Experience) -> int:
    position = x.cursor() + 1
    x.move_cursor(position)
    return position


def project(x: Experience) -> int:
    """As catching up does: rows, what is known of their pair, and the cursor, in one unit."""
    position = step(x)
    first = position * ROWS_PER_UNIT
    x.add([megram(number, "s", f"e{position % 7}") for number in range(first, first + ROWS_PER_UNIT)])
    x.recall([megram_id(first)], 1)
    x.put_pairs([pair("s", f"e{position % 7}", position)])
    return position


def check(store: ExperienceStore, acknowledged: list[int]) -> int:
    """Every unit is there whole or not at all, in order, and none that was acknowledged is missing; how many are."""

    def look(x: Experience) -> int:
        units = x.cursor() + 1
        assert acknowledged == sorted(set(acknowledged))
        assert units >= (acknowledged[-1] + 1 if acknowledged else 0)
        wanted = [megram_id(number) for number in range(units * ROWS_PER_UNIT)]
        assert [row.megram_id for row in x.scan(limit=1_000_000)] == wanted
        assert len(x.recalled_us(wanted)) == units
        assert sorted(row.due_us for row in x.pairs()) == list(range(max(units - 7, 0), units))
        return units

    return store.read(look)


def until_full(store: ExperienceStore) -> None:
    """With files that may not grow (`RLIMIT_FSIZE`): told as what it is, nothing half done, and it goes on after."""
    import resource

    acknowledged = [store.write(project) for _ in range(3)]
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, hard))
    failures = []
    for _ in range(400):
        try:
            acknowledged.append(store.write(project))
        except MaceError as error:
            failures.append(type(error).__name__)
            if len(failures) == 3:
                break
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    print(*failures)
    check(store, acknowledged)
    acknowledged += [store.write(project) for _ in range(20)]
    print(len(acknowledged), check(store, acknowledged), flush=True)


def main() -> None:
    kind, place, what, *rest = sys.argv[1:]
    store, close = open_at(kind, place)
    print("open", flush=True)
    sys.stdin.readline()
    if what == "count":
        for _ in range(int(rest[0])):
            store.write(step)
    elif what == "write":
        while True:
            print(store.write(project), flush=True)
    elif what == "full":
        until_full(store)
    close()


if __name__ == "__main__":
    main()
