"""A recall in a fresh process: `python -m benchmarks.recall.cold FOLDER PERSON QUESTION BUDGET`.

Prints the CPU seconds of opening the store, of the first recall, and of the same one again.
"""

import json
import sys
import time
from pathlib import Path

import mace
from benchmarks.recall.ours import settings


def main(folder: Path, person: str, question: str, budget: int) -> None:
    start = time.process_time()
    with mace.open(settings=settings(folder)) as m:
        opened = time.process_time()
        took = []
        for _ in range(2):
            before = time.process_time()
            answer = m.recall(person, question, budget)
            took.append(time.process_time() - before)
            if answer["error_code"] or not answer["items"]:
                raise RuntimeError(f"nothing was recalled: {answer}")
        print(json.dumps([opened - start, *took]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
