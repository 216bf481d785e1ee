"""Access: roles, a caller as the policy sees them, and what a decision is.

Pure. What a role may do is written in the policy (`policy/`), not here; `engine/desk.py` asks it and keeps its answers.
"""

from dataclasses import dataclass, field
from typing import Protocol

ROLES = ("viewer", "user", "agent", "operator", "auditor", "admin", "council")
STRONG_ROLES = frozenset({"admin", "council"})  # whose actions need a second factor
OTHERS = "\x00others"  # stands for any person but the caller

# Actions that need a second factor; each decision about one is recorded, a yes too. The policy forbids them without.
STRONG_ACTIONS = frozenset(
    {
        "account_manage",
        "alias_add",
        "approval_vote",
        "attest",
        "backup",
        "event_read_unredacted",
        "experience_change_read",
        "experience_export",
        "experience_import",
        "experience_rebuild",
        "experience_roll_back",
        "fact_import",
        "forensic_key_set",
        "forensic_read",
        "forensic_restore",
        "identity_proof_issue",
        "incident_ack",
        "key_rotate",
        "lift_halt",
        "log_amend",
        "log_read_unredacted",
        "policy_change",
        "quarantine_read",
        "quarantine_read_unredacted",
        "restore",
        "sem_delete",
        "sem_list",
        "token_issue",
        "token_revoke",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A caller as authentication found them. `person` is the user they are, `scopes` what their token is limited to."""

    name: str
    roles: frozenset[str]
    person: str = ""
    scopes: frozenset[str] = field(default_factory=frozenset)
    second_factor: bool = False
    is_owner: bool = False


@dataclass(frozen=True, slots=True)
class Resource:
    """What is acted on: its kind, and whose it is, if anybody's."""

    kind: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    allowed: bool
    policy_id: str  # the policy that decided; `default-deny` when none spoke
    policy_hash: str


class Policy(Protocol):
    @property
    def hash(self) -> str: ...
    def decide(self, principal: Principal, action: str, resource: Resource) -> Decision: ...
