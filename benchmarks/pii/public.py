"""Measure detection on public sets in the format of presidio-research, MACE beside Presidio with patterns only.

    PYTHONPATH=src /tmp/pii/bin/python benchmarks/pii/public.py          # two sets of the pinned package
    PYTHONPATH=src /tmp/pii/bin/python benchmarks/pii/public.py synth_dataset_v2.json generated_large.json

A set is a JSON list of `{"full_text": ..., "spans": [{"entity_type", "start_position", "end_position"}]}`, as
microsoft/presidio-research publishes them. Without files, `presidio-evaluator` (see requirements.txt) makes two with
its
own templates and its own seeds; no set lies in this repository. Types that MACE does not claim (persons, organisations,
places, titles, ages, dates that are no birth dates) are left out, and so are its street addresses: they are marked in
pieces (`28245`, `Puruntie 82`, `Apt. 595`), many of them of places rather than people.
"""

import contextlib
import io
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import tools
from samples import Gold, Sample
from scoring import Score, score

TYPES = {
    "CREDIT_CARD": "payment_card",
    "PHONE_NUMBER": "phone",
    "EMAIL_ADDRESS": "email",
    "DOMAIN_NAME": "url",
    "URL": "url",
    "IP_ADDRESS": "ip_address",
    "US_SSN": "us_ssn",
    "IBAN_CODE": "iban",
    "US_DRIVER_LICENSE": "driver_license",
}
MADE = {"made, seed 42": (42, 1_500, 0.05), "made, seed 7331": (7_331, 3_000, 0.1)}


def read(rows: list[dict]) -> list[Sample]:
    """Return a set as samples, with the types that MACE claims."""
    return [
        Sample(
            row["full_text"],
            tuple(
                Gold(TYPES[span["entity_type"]], span["start_position"], span["end_position"])
                for span in row["spans"]
                if span["entity_type"] in TYPES
            ),
        )
        for row in rows
    ]


def make(seed: int, count: int, lower: float) -> list[dict]:
    """Return a set that the package makes from its templates and names."""
    from presidio_evaluator.data_generator.presidio_sentence_faker import PresidioSentenceFaker

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        faker = PresidioSentenceFaker("en_US", lower_case_ratio=lower, random_seed=seed)
        made = faker.generate_new_fake_sentences(count)
    return [
        {
            "full_text": row.full_text,
            "spans": [
                {
                    "entity_type": span.entity_type,
                    "start_position": span.start_position,
                    "end_position": span.end_position,
                }
                for span in row.spans
            ],
        }
        for row in made
    ]


def mace() -> tools.Tool:
    """Return MACE with the types of these sets; addresses of pages are low, and count here."""
    from mace.governance.detectors import detect

    kinds = set(TYPES.values())
    return lambda text: [(item.type, item.start, item.end) for item in detect(text) if item.type in kinds]


def presidio() -> tools.Tool:
    """Return Presidio, patterns only, with addresses of pages."""
    tools.PRESIDIO_IGNORED.discard("URL")
    tools.PRESIDIO["URL"] = "url"
    kinds = set(TYPES.values())
    run = tools.presidio(0.3, False)
    return lambda text: [item for item in run(text) if item[0] in kinds]


def measure(sets: dict[str, list[Sample]], peers: bool = True) -> dict:
    """Print and return micro precision, recall and F1, and recall by type, of each tool on each set."""
    candidates = {"MACE": mace()} | ({"Presidio": presidio()} if peers else {})
    result = {}
    for name, rows in sets.items():
        print(f"\n{name}: {len(rows)} texts, {sum(len(row.gold) for row in rows)} values")
        for tool, run in candidates.items():
            scored: Score = score(run, rows)
            totals = scored.totals()
            by_type = {kind: scored.totals({kind})[1] for kind in sorted({*scored.hit, *scored.missed})}
            print(f"  {tool:9} precision {totals[0]:.3f} recall {totals[1]:.3f} F1 {totals[2]:.3f}")
            print("            recall " + ", ".join(f"{kind} {recall:.3f}" for kind, recall in by_type.items()))
            result[f"{name}/{tool}"] = {"totals": totals, "recall": by_type}
    return result


if __name__ == "__main__":
    given = [pathlib.Path(name) for name in sys.argv[1:] if not name.startswith("--")]
    if given:
        found = {path.name: read(json.loads(path.read_text("utf-8"))) for path in given}
    else:
        found = {name: read(make(*settings)) for name, settings in MADE.items()}
    measure(found, peers="--skip-peers" not in sys.argv)
