"""Recall on texts that were written from the list of types alone, without sight of the rules.

    PYTHONPATH=src python benchmarks/pii/held_out_score.py [FOLDER]

`held_out` is the first set, `held_out_2` one by another writer, who saw neither the rules nor the first. Each line is
`{"text": ..., "language": "de", "spans": [{"start": 0, "end": 9, "type": ...}]}`.
A value counts as found when a finding of its type shares more than half with it; one that is at least seen (any type
above low on more than half of it) would be redacted all the same and is counted apart. Only counts are printed, never
a text: rules are not tuned on these.
"""

import json
import pathlib
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from scoring import overlap

# What the writer's list calls a type, in the types that count as right for it.
TYPES = {
    "address": {"postal_address"},
    "card": {"payment_card"},
    "driving_licence": {"driver_license"},
    "ip_address": {"ip_address", "ip_private"},  # private ones are found, and low: they name nobody
    "medical_number": {"medical_record", "health_insurance"},
    "national_id": {"national_id", "us_ssn", "us_itin"},
    "secret": {"password", "access_token", "private_key"},
    "special": {
        "religion", "political_view", "union_membership", "ethnic_origin", "sexual_orientation", "criminal_record", "blood_type",
        "salary", "maiden_name",
    },
    "tax_id": {"national_id", "us_itin"},  # the rules have no type of its own for tax numbers
    "wallet": {"crypto_wallet"},
}  # fmt: skip
FOLDER = pathlib.Path(__file__).parent / "held_out"


def rows(folder: pathlib.Path = FOLDER) -> list[dict]:
    """Return the held-out texts, by file and line."""
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
        if line
    ]


def measure(folder: pathlib.Path = FOLDER) -> dict:
    """Print and return recall of all, by type, by language; and how many findings are no true span's."""
    from mace.governance.detectors import LOW, detect

    hit, seen, all_of, false = Counter(), Counter(), Counter(), Counter()
    texts = rows(folder)
    for row in texts:
        found = detect(row["text"])
        spans = [(span["type"], span["start"], span["end"]) for span in row["spans"]]
        for kind, start, end in spans:
            keys = ("all", f"type {kind}", f"language {row['language']}", f"{row['language']} {kind}")
            here = [item for item in found if overlap((item.start, item.end), (start, end)) > 0.5]
            inside = sum(
                max(0, min(item.end, end) - max(item.start, start)) for item in found if item.sensitivity != LOW
            ) * 2 > (end - start)
            right = any(item.type in TYPES.get(kind, {kind}) for item in here)
            for key in keys:
                all_of[key] += 1
                hit[key] += right
                seen[key] += right or inside
        for item in found:
            apart = all(min(item.end, end) <= max(item.start, start) for _, start, end in spans)
            if item.sensitivity != LOW and apart:
                false[item.type] += 1
    result = {key: hit[key] / all_of[key] for key in all_of}
    print(
        f"\nheld-out texts: {len(texts)} texts, {all_of['all']} values: recall {result['all']:.4f}, seen {seen['all'] / all_of['all']:.4f}"
    )
    for part in ("language", "type"):
        for key in sorted(key for key in all_of if key.startswith(part)):
            print(f"  {key:28} {result[key]:.3f}  seen {seen[key] / all_of[key]:.3f}  of {all_of[key]}")
    print(f"  findings apart from every value: {sum(false.values())} {dict(false)}")
    return result


def worst(folder: pathlib.Path = FOLDER) -> None:
    """Print recall by language and type where it is below 0.9."""
    result = measure(folder)
    for key in sorted(result):
        if not key.startswith(("type", "language", "all")) and result[key] < 0.9:
            print(f"  {key:28} {result[key]:.3f}")


if __name__ == "__main__":
    worst(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
