"""Answers about approvals and accounts."""

from typing import NotRequired, TypedDict

from mace.core.answers.choices import (
    ApprovalKind,
    ApprovalStatus,
    DecidedBy,
    ForensicKind,
    PiiType,
    QuarantineKind,
    Role,
    VoteChoice,
    VotedAs,
)
from mace.core.answers.ledger import Amendment
from mace.core.answers.operations import IncidentView, ModuleView
from mace.core.answers.subjects import AskedBy, DeletionManifest, DeletionReceipt, Identity, RectificationManifest

_VotedAs = TypedDict("_VotedAs", {"as": VotedAs})


class VoteView(_VotedAs):
    """One vote; `as` says in what capacity, `totp_step` which second-factor code proved it."""

    request_id: str
    member: str
    vote: VoteChoice
    totp_step: int | None
    at: str
    reason: NotRequired[str]


class ApprovalDetails(TypedDict, total=False):
    """What a request is about.

    Of a review `job_id`, `log_id`; a promotion `person`, `key`, `pii_types`, `value_hash` (keyed by the person); an
    erasure or a rectification `action`, `dsr_id`; a purge `action` and `forensic_id` (with `dsr_id` where it holds the
    keys of an erasure) or `quarantine_id`, with the `person` it is about or several `people`; a quarantine or release
    `module_id`; a lifted halt `incident_id`; a policy `policy_sha256`; a change of the council `change` (`create`,
    `change`, `second_factor`), `account` and what it is to have: `roles`, `active`, `user_id`, or the public key that
    its secret is sealed to (`sealed_to`).
    """

    job_id: str
    log_id: str
    person: str | None
    people: list[str]
    key: str
    pii_types: list[PiiType]
    value_hash: str
    action: str
    dsr_id: str
    forensic_id: str
    quarantine_id: str
    module_id: str
    incident_id: str
    policy_sha256: str
    change: str
    account: str
    roles: list[Role] | None
    active: bool | None
    user_id: str | None
    sealed_to: str | None


class ProofView(TypedDict):
    """A proof of identity that was given, without its code."""

    proof_id: str
    issued_by: str
    issued_at: str | None  # None for those from before this was kept
    used_at: str | None


class Amounts(TypedDict):
    """How many keys of each kind a request is about; what lies under each of them goes as one."""

    facts: int
    jobs: int
    consents: int
    exports: int
    turns: int
    other: int


class PurgedEntry(TypedDict):
    """The forensic entry that a purge would destroy."""

    entry_id: str
    kind: ForensicKind
    about: str
    forensic_key: int | None
    at: str


class PurgedPayload(TypedDict):
    """What a purge would destroy in quarantine; `payloads` are more than one where an older version kept it."""

    quarantine_id: str
    what: QuarantineKind
    at: str | None
    payloads: int


class ApprovalAsks(TypedDict, total=False):
    """What voters look at before they vote: whose data, how much, by which proof. Never what it says.

    Of an erasure or a rectification, and of a purge of what an erasure took, `person`, `keys` (None: everything),
    `jobs` (of nobody), `amounts`, `created_at`, `identity`, `asked_by` (in a question) and `proof`; of a promotion
    `person`, `keys`, `pii_types`; of a purge `entry` or `quarantined`, with `person` (`people` where it is about
    several); of a policy `policy_text`.
    """

    person: str
    people: list[str]
    keys: list[str] | None
    jobs: list[str]
    amounts: Amounts
    pii_types: list[PiiType]
    created_at: str
    identity: Identity
    asked_by: AskedBy
    proof: ProofView
    entry: PurgedEntry
    quarantined: PurgedPayload
    policy_text: str


class ApprovalView(TypedDict):
    """A request, its votes and what they come to; those who may vote are shown `asks`, too."""

    request_id: str
    kind: ApprovalKind
    requested_by: str
    decided_by: DecidedBy
    members: list[str]
    about: str
    details: ApprovalDetails
    created_at: str
    expires_at: str
    votes: list[VoteView]
    status: ApprovalStatus
    asks: NotRequired[ApprovalAsks]


class VoteResult(TypedDict, total=False):
    """What a decision set in motion; nothing while it is open.

    Of a review `amendment`; an erasure `manifest`, `receipt`, or `purged`; a rectification `rectification`, `receipt`;
    a quarantine or release `module`; a lifted halt `incident`; a policy `policy_sha256`, `number`, `approval_id`, `at`.
    """

    amendment: Amendment
    manifest: DeletionManifest
    rectification: RectificationManifest
    receipt: DeletionReceipt
    purged: str
    module: ModuleView
    incident: IncidentView
    policy_sha256: str
    number: int
    approval_id: str
    at: str


class VoteAnswer(ApprovalView):
    """A request after a vote, with what the decision set in motion."""

    result: VoteResult


class AccountView(TypedDict):
    """An account; `person` is the user it belongs to, or empty."""

    name: str
    roles: list[Role]
    person: str
    created_at: str
    by: str
    active: bool
    second_factor: bool


class SecondFactorSecret(TypedDict):
    """The secret of a second factor, shown this once; sealed (base64) where it is for somebody else's eyes."""

    account: str
    secret: str  # empty where it is sealed
    uri: str  # likewise
    sealed: str | None


class TokenParts(TypedDict):
    """What every view of a token tells."""

    token_id: str
    account: str
    roles: list[Role]
    scopes: list[str]
    expires_at: str
    by: str


class IssuedToken(TokenParts):
    """A new token; `token` is shown this once."""

    token: str


class TokenView(TokenParts):
    """A token without its secret."""

    revoked: bool


class TokenRevoked(TypedDict):
    """A token that counts no more."""

    token_id: str
    account: str
    revoked: bool
