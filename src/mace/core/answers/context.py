"""Context: what may be asked for, and the package that comes back."""

from typing import NotRequired, TypedDict, final

from mace.core.answers.choices import ControllerVersion, DropReason, JsonObject, PiiType, StoreProblem
from mace.core.answers.failures import WriteAnswer


class BudgetRequest(TypedDict):
    """How much a package may hold."""

    max_excerpt_tokens: int
    per_item_max_excerpt_tokens: NotRequired[int | None]
    max_items: NotRequired[int | None]


class ScoringRequest(TypedDict, total=False):
    """What counts in a score."""

    enable_recency_weight: bool | None
    recency_half_life_days: int | None
    enable_tag_overlap: bool | None
    query_terms: list[str] | None


class TrustRequest(TypedDict, total=False):
    """Whose records are left out."""

    deny_classifications: list[str] | None
    trust_snapshot_path: str | None


class ContextRequest(TypedDict):
    """What `memory_read` and `memory_explain` take; None means absent."""

    query: str
    store_paths: list[str]
    budget: BudgetRequest
    scoring: NotRequired[ScoringRequest]
    trust_filter: NotRequired[TrustRequest]
    now_utc: NotRequired[str | None]
    controller_version: NotRequired[ControllerVersion | None]


class ContextQuery(TypedDict):
    """The query as it was asked, and its hash."""

    raw: str
    query_hash: str


class ContextBudget(TypedDict):
    """What was allowed and what was used."""

    max_excerpt_tokens: int
    used_excerpt_tokens: int
    remaining_excerpt_tokens: int
    per_item_max_excerpt_tokens: int
    max_items: int


class SelectedItem(TypedDict):
    """A record that was chosen, with its excerpt."""

    memory_id: str
    record_hash: str
    store_path: str
    score: float
    excerpt: str
    excerpt_tokens: int


class DroppedItem(TypedDict):
    """A record or line that was not chosen, and why."""

    memory_id: str
    record_hash: str
    store_path: str
    reason: DropReason


class Selection(TypedDict):
    """What was chosen and what was not."""

    selected: list[SelectedItem]
    dropped: list[DroppedItem]


@final
class ContextPackage(TypedDict):
    """The package of a request."""

    query: ContextQuery
    budget: ContextBudget
    selection: Selection
    package_hash: str
    controller_version: ControllerVersion


class ExplainedItem(TypedDict):
    """What made a score; the last two are of `phase7-v1`."""

    memory_id: str
    store_path: str
    score: float
    terms: list[str]
    tags: list[str]
    recency_bonus: float
    excerpt_tokens: int
    nearby_terms: NotRequired[list[str]]
    second_look_terms: NotRequired[list[str]]


class DroppedSummary(TypedDict):
    """How many were dropped for which reason."""

    invalid_record_schema: int
    trust_denied: int
    budget_exhausted: int


@final
class ContextExplanation(TypedDict):
    """Why these and not others."""

    controller_version: ControllerVersion
    terms: list[str]
    budget: ContextBudget
    selected: list[ExplainedItem]
    dropped: DroppedSummary


class NewContextRecord(TypedDict):
    """A record that `context.append` is given; None means absent. Without an id it gets one, without a time now."""

    text: str
    memory_id: NotRequired[str | None]
    ts_utc: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    refs: NotRequired[list[JsonObject] | None]


@final
class ContextAppended(WriteAnswer):
    """What `context.append` came to; `redacted` are the types of what was cut out of the records."""

    store_path: NotRequired[str]
    memory_ids: NotRequired[list[str]]
    redacted: NotRequired[list[PiiType]]


class StoreLineProblem(TypedDict):
    """Something wrong with one line, counted from 1; `dropped`: no package ever holds this line."""

    line: int
    problem: StoreProblem
    field: str | None
    dropped: bool
    message: str


@final
class ContextCheck(TypedDict):
    """What `context.check` found; `more` problems are counted and not listed."""

    store_path: str
    ok: bool
    lines: int
    records: int
    blank: int
    dropped: int
    problems: list[StoreLineProblem]
    more: int
    counts: dict[StoreProblem, int]
