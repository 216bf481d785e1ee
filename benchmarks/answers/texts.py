"""The frozen texts: `texts/README.md` says how they were made and what their fields mean."""

import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "texts"
SETS = ("seen", "unseen", "unseen2")
CLASSES = ("statements", "questions_self", "questions_world", "must_not")
MAY_BE_SHOWN = ("seen",)  # of the others nobody is told more than counts
HASHES = {
    "seen/statements": "f16697a1cf199798b4fa54253992f06969d47caebb36b528f3ddc5b122b66e8f",
    "seen/questions_self": "917deb284d361ea4bdd271bcfbbd6a5825e1431b6149b5e0278def307199a17b",
    "seen/questions_world": "a1102a4c36270bf352f0582c2a23bfa9d1a73fa6625fdd9cb9f3f598b95cd116",
    "seen/must_not": "2cc6b5dba5c4c833ed33167edeb5549a7af052ba7eba498ced493a1ce61ca30f",
    "unseen/statements": "b2889c85150b50ff8649afe2c02ef4b54d4f51336090023ab09f64076a450d59",
    "unseen/questions_self": "4d55d3a4dd89659e205e5211069ecba74b2552c6021000570ea81bb89de7cde9",
    "unseen/questions_world": "f69422b004a362c84a8dd1589d2b5d4722c559e2a579b67a8d0d75ecefb9cb0e",
    "unseen/must_not": "077c5435873c3030fb847c5838ac86c1cc9829aae06b2fdee1b7f99d0dd05348",
    "unseen2/statements": "85805d7df7a5f6b86c9f2fa5001a03d48d5ab4bd801214d8a0a97a15f4e38760",
    "unseen2/questions_self": "38c49ddd861df5a5592ebbc6c46e7c95c6c040c122ed8d86d0ff819c686bd2f9",
    "unseen2/questions_world": "04292de9f7a42b93a205d8e2eca5ca8853bd91398ecafdbbbbf928ef6840a808",
    "unseen2/must_not": "0d308c55315ffd34a74ec4110280e057bf5668e483f4918000f35764c93830b6",
}

Text = dict[str, Any]


@cache
def load(which: str, name: str) -> tuple[Text, ...]:
    with (FOLDER / which / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def fingerprint(which: str, name: str) -> str:
    return sha256((FOLDER / which / f"{name}.jsonl").read_bytes()).hexdigest()


def sample(texts: Iterable[Text], wanted: int) -> list[Text]:
    """As many texts of each of their classes, chosen by their ids."""
    kept: list[Text] = []
    taken: dict[str, int] = {}
    for text in sorted(texts, key=lambda item: sha256(item["id"].encode()).hexdigest()):
        if taken.setdefault(text["class"], 0) < wanted:
            taken[text["class"]] += 1
            kept.append(text)
    return kept
