"""Answers about approvals and accounts."""

from typing import NotRequired, TypedDict

from mace.core.answers.choices import (
    ApprovalKind,
    ApprovalStatus,
    DecidedBy,
    PiiType,
    Role,
    VoteChoice,
    VotedAs,
)
from mace.core.answers.ledger import Amendment
from mace.core.answers.operations import IncidentView, ModuleView
from mace.core.answers.subjects import DeletionManifest, DeletionReceipt, Identity

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

    Of a review `job_id`, `log_id`; a promotion `person`, `key`, `pii_types`; an erasure `action`, `dsr_id` and, for a
    purge, `forensic_id`; a quarantine or release `module_id`; a lifted halt `incident_id`; a policy `policy_sha256`; a
    change of the council `change` (`create`, `change`, `second_factor`), `account` and what it is to have: `roles`,
    `active`, `user_id`.
    """

    job_id: str
    log_id: str
    person: str | None
    key: str
    pii_types: list[PiiType]
    action: str
    dsr_id: str
    forensic_id: str
    module_id: str
    incident_id: str
    policy_sha256: str
    change: str
    account: str
    roles: list[Role] | None
    active: bool | None
    user_id: str | None


class ApprovalAsks(TypedDict, total=False):
    """What voters look at before they vote.

    Of an erasure `person`, `keys` (None: everything), `created_at` and `identity`; of a policy `policy_text`.
    """

    person: str
    keys: list[str] | None
    created_at: str
    identity: Identity
    policy_text: str


class ApprovalView(TypedDict):
    """A request, its votes and what they come to; `approvals.show` adds `asks` for those who may vote."""

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

    Of a review `amendment`; an erasure `manifest`, `receipt`, or `purged`; a quarantine or release `module`; a lifted
    halt `incident`; a policy `policy_sha256`, `number`, `approval_id`, `at`.
    """

    amendment: Amendment
    manifest: DeletionManifest
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
    """The secret of a second factor, shown this once."""

    account: str
    secret: str
    uri: str


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
