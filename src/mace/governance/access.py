"""Access: roles, who a caller is, which facts they may read, what they see of what is not theirs.

Pure. What a role may do is written in the policy (`policy/`), not here. Fact reads are too many for a policy engine:
the policy is asked once per caller about each kind of fact, and the answers become a grant that carries the policy's
hash. A grant of another policy is no grant.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

ROLES = ("viewer", "user", "agent", "operator", "auditor", "admin", "council")
STRONG_ROLES = frozenset({"admin", "council"})  # whose actions need a second factor

# Actions that need a second factor; each decision about one is recorded, a yes too. The policy forbids them without.
STRONG_ACTIONS = frozenset(
    {
        "account_manage",
        "alias_add",
        "approval_vote",
        "attest",
        "event_read_unredacted",
        "forensic_key_set",
        "forensic_purge",
        "forensic_read",
        "forensic_restore",
        "identity_proof_issue",
        "incident_ack",
        "key_rotate",
        "lift_halt",
        "log_amend",
        "log_read_unredacted",
        "module_quarantine",
        "policy_change",
        "quarantine_read",
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


@dataclass(frozen=True, slots=True)
class FactGrant:
    """What one caller may read, decided beforehand; answering costs a split and two look-ups."""

    person: str
    own: bool
    open_scopes: frozenset[str]
    policy_hash: str
    decisions: Mapping[str, str]  # by kind of fact: the policy that decided

    def may_read(self, key: str, policy_hash: str) -> bool:
        """Say whether this key may be read; a key belongs to a person when its scope is `user`."""
        if policy_hash != self.policy_hash:
            return False
        scope, _, rest = key.partition("/")
        if scope in self.open_scopes:
            return True
        owner = rest.split("/")[1] if rest.count("/") == 2 else ""
        return self.own and scope == "user" and bool(self.person) and owner == self.person


def compile_grant(principal: Principal, policy: Policy, scopes: Iterable[str]) -> FactGrant:
    """Ask the policy about each kind of fact, once; `scopes` are those of keys."""
    decisions: dict[str, str] = {}
    allowed: set[str] = set()
    for scope in scopes:
        owner = "\x00nobody" if scope == "user" else ""  # somebody else's
        decision = policy.decide(principal, "sem_get", Resource(f"fact:{scope}", owner))
        decisions[scope] = decision.policy_id
        if decision.allowed:
            allowed.add(scope)
    own = policy.decide(principal, "sem_get", Resource("fact:user", principal.person))
    decisions["user:own"] = own.policy_id
    return FactGrant(
        principal.person, own.allowed and bool(principal.person), frozenset(allowed), policy.hash, decisions
    )
