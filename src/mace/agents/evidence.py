"""What an answer rests on: the noun that agents, evaluators and answers share."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["fact", "context", "computation", "operation", "model", "verification"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What an answer rests on. `ref` names it (a key, a record, a provider); `score` is how sure it is.

    Scores lie in [0, 1]: 1 for what was read or computed; for `verification` 1 is confirmed, 0 refuted.
    """

    kind: Kind
    ref: str
    text: str
    score: float = 1.0
