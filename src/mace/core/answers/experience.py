"""Experience: what may be written, and what comes back."""

from datetime import datetime
from typing import NotRequired, TypedDict

from mace.core.answers.choices import (
    ChangeKind,
    DistilledBy,
    ErrorCode,
    JsonObject,
    Level,
    MegramState,
    MkAction,
    RuleState,
    StoredState,
)
from mace.core.answers.failures import Envelope
from mace.core.answers.operations import StoreDescription


class NewMegram(TypedDict):
    """What `experience.write` takes; strength, sign and decay follow from the state."""

    space: str
    entity: str
    content: str
    state: MegramState
    created_at: NotRequired[str | datetime | None]


class MegramAnswer(TypedDict):
    """What a write of experience came to: `megram_id` where it was kept, the failure's parts where not."""

    success: bool
    error_code: ErrorCode | None
    megram_id: NotRequired[str]
    applied: NotRequired[bool]
    user_message: NotRequired[str]
    error: NotRequired[Envelope]
    queued: NotRequired[bool]


class RetractAnswer(MegramAnswer):
    """A Megram taken back; `was_retracted`: it had been before, `rules`: those of its pair that stand."""

    was_retracted: NotRequired[bool]
    rules: NotRequired[list[str]]


class MkPotentials(TypedDict):
    """How much attention a pair deserves, which way it points, and what that advises."""

    attention: float
    decision: float
    action: MkAction


class SopRecord(TypedDict):
    """A rule of a pair; `sigma` is 1 for a best practice, -1 for a constraint."""

    id: str
    space: str
    entity: str
    content: str
    sigma: float


class MegramView(TypedDict):
    """A Megram with what is left of its weight; erased content is blank."""

    id: str
    level: Level
    created_at: str
    last_recalled_at: str | None
    space: str
    entity: str
    content: str
    state: StoredState
    f: float
    sigma: float
    k: float
    weight: float


class DreamedChange(TypedDict):
    """A change of the Dreamer with its evidence; `change_id` is None in a dry run.

    A promotion has `state`, `content`, `by`, `confirms` and `sigma`, a demotion `rule_id` and `sigma`.
    """

    change_id: str | None
    kind: ChangeKind
    space: str
    entity: str
    attention: float
    decision: float
    why: str
    megrams: int
    evidence_hash: str
    evidence: list[MegramView]
    state: NotRequired[RuleState]
    sigma: NotRequired[float]
    content: NotRequired[str]
    by: NotRequired[str]  # who found its words: engine or extract
    confirms: NotRequired[str]
    rule_id: NotRequired[str | None]


class FailedChange(TypedDict):
    """A pair whose rule could not be put into words."""

    space: str
    entity: str
    reason: str


class DreamReport(TypedDict):
    """What a dream changed, or in a dry run would change."""

    now: str
    dry_run: bool
    looked_at: int
    promoted: list[DreamedChange]
    demoted: list[DreamedChange]
    forgotten: list[DreamedChange]
    failed: list[FailedChange]


class ChangeView(TypedDict):
    """A change of the Dreamer as it is kept; `rule_id` is there for those that made or took one."""

    change_id: str
    kind: ChangeKind
    space: str
    entity: str
    attention: float
    decision: float
    why: str
    at: str
    evidence_hash: str
    rule_id: NotRequired[str]
    rolled_back_by: str | None
    by: NotRequired[DistilledBy]


class ChangeDetails(ChangeView):
    """A change with what the language engine was asked for it and answered; None where none was, or it was erased."""

    asked: JsonObject | None


class PairView(MkPotentials):
    """A pair with its potentials, and when the Dreamer looks at it again and it fades."""

    space: str
    entity: str
    megrams: int
    rules: int
    newest_at: str | None
    due_at: str | None
    fades_at: str | None


class HistoryPoint(TypedDict):
    """The potentials of a pair at an instant."""

    at: str
    attention: float
    decision: float


class PairHistory(TypedDict):
    """How a pair's potentials came to be; `cut` when it has more Megrams than were added up."""

    points: list[HistoryPoint]
    megrams: int
    cut: bool


class ExperienceImport(TypedDict):
    """What an import of experience came to."""

    imported: int
    already_here: int
    redacted: int


class ExperienceRebuilt(TypedDict):
    """What making experience anew from the ledger came to."""

    events: int  # that were projected
    megrams: dict[str, int]  # by level
    pairs: int
    changes: int  # of the Dreamer


class ExperienceDescription(StoreDescription):
    """The store of experience: how many Megrams by level, and whether it is behind the ledger."""

    megrams: dict[str, int]
    projected_through: int
    behind: bool
