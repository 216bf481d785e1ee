"""How the council judges what a scripted engine says: `python -m benchmarks.answers.council [first|second|...]`.

Every text goes through the evaluators and the council as in a question with its passages. Counted are true cited
answers that are accepted at the first hearing, and invented ones that are accepted without a notice. The first set was
written by the author of the rules; the others were committed before the rules were run on them.
"""

import sys
from collections.abc import Iterable, Sequence

from benchmarks.answers import council_texts, council_texts_2, council_texts_3, council_texts_4
from benchmarks.answers.council_texts_2 import Row
from mace.agents import council, judging
from mace.agents.evaluators import Candidate
from mace.agents.evidence import Evidence

FIRST = tuple(Row((row.passage,), row.question, row.true, row.invented) for row in council_texts.ROWS)
SECOND = council_texts_2.ROWS
THIRD = council_texts_3.ROWS
FOURTH = council_texts_4.ROWS
SETS = {"first": FIRST, "second": SECOND, "third": THIRD, "fourth": FOURTH}


def verdict_on(question: str, text: str, passages: Iterable[str]) -> council.Verdict:
    """The council's first word on a text."""
    sources = tuple(Evidence(kind="context", ref=f"p{at}", text=item) for at, item in enumerate(passages, 1))
    candidate = Candidate(
        candidate_id="a/0",
        question=question,
        text=text,
        confidence=1.0,
        agent_id="knowledge_agent",
        trust=0.9,
        evidence=(*sources, Evidence(kind="model", ref="scripted/engine", text=text)),
    )
    return council.deliberate_2(
        council.CouncilState(), [judging.hear(candidate, (), None)], judging.MEMBERS, council.CouncilRules()
    )


def measure(rows: Sequence[Row]) -> dict[str, int]:
    true = [verdict_on(row.question, text, row.passages) for row in rows for text in row.true]
    invented = [verdict_on(row.question, text, row.passages) for row in rows for text in row.invented]
    bare = [verdict_on(question, text, []) for question, text in council_texts.BARE]
    return {
        "true": len(true),
        "true_accepted": sum(item.outcome is council.Outcome.ACCEPT for item in true),
        "true_without_caution": sum(is_sure(item) for item in true),
        "invented": len(invented),
        "invented_without_caution": sum(is_sure(item) for item in invented),
        "bare_without_caution": sum(is_sure(item) for item in bare),
    }


def is_sure(verdict: council.Verdict) -> bool:
    return verdict.outcome is council.Outcome.ACCEPT and verdict.error_code is None


if __name__ == "__main__":
    for chosen in sys.argv[1:] or SETS:
        print(f"{chosen} set")
        for name, number in measure(SETS[chosen]).items():
            print(f"  {name:28}{number:5}")
