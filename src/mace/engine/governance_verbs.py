"""The verbs of governance: consent, subject requests, approvals, accounts, incidents, the forensic store.

Refusals of these verbs are raised with their row of the error table; a door shows them as envelopes. `door` says that
the caller came through one: there nobody is the owner, and strong roles always prove themselves with a code.
"""

from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mace.engine.parts import Parts

if TYPE_CHECKING:
    from mace.engine.governance.accounts import Acting, Who
    from mace.engine.governing import Governance
    from mace.governance.access import Decision, FactGrant, Principal, Resource


class GovernanceVerbs(Parts):
    @cached_property
    def governance(self) -> "Governance":
        """The parts themselves, for doors that need more than a verb."""
        return self._governance

    # Consent

    def detect_and_handle(
        self, payload: Any, user_id: str | None = None, job_seed: str | None = None, consent_id: str | None = None
    ) -> dict[str, Any]:
        """Look for personal data and say what may be done: `allowed`, `consent_required` or `redacted`."""
        return self._governance.consents.detect_and_handle(payload, user_id, job_seed, consent_id)

    def grant_consent(
        self,
        user_id: str,
        consent_text: str,
        scope: str = "job",
        job_seed: str | None = None,
        expires_at: str | datetime | None = None,
    ) -> dict[str, Any]:
        """Record a person's consent, for one job or until it expires."""
        return self._governance.consents.grant(user_id, consent_text, scope, job_seed, expires_at)

    def revoke_consent(self, consent_id: str, actor: str = "user") -> dict[str, Any]:
        return self._governance.consents.revoke(consent_id, actor)

    def consents(self, user_id: str) -> list[dict[str, Any]]:
        """All consents of a person, with their words."""
        return self._governance.consents.listed(user_id)

    # Subject requests

    def issue_identity_proof(
        self, user_id: str, actor: "Who", totp: str | None = None, *, life: timedelta | None = None, door: bool = False
    ) -> dict[str, str]:
        """Make a one-time code for a person whom an admin has identified."""
        options = {} if life is None else {"life": life}
        return self._governance.requests.issue_proof(user_id, actor, totp, door=door, **options)

    def request_dsr(
        self, user_id: str, kind: str, proof: str, keys: list[str] | None = None, *, job_seed: str | None = None
    ) -> dict[str, Any]:
        """Open a person's request about their own data: `export`, or `delete`, which waits for approval."""
        return self._governance.requests.request(user_id, kind, proof, keys, job_seed=job_seed)

    def dsr(self, dsr_id: str) -> dict[str, Any]:
        """How a request stands, with its package or its manifest and receipt."""
        return self._governance.requests.get(dsr_id)

    def restore_erased(
        self,
        dsr_id: str,
        private_key: str,
        actor: "Who",
        totp: str | None = None,
        *,
        purpose: str,
        door: bool = False,
    ) -> dict[str, Any]:
        """Bring back what a deletion took, with the forensic private key."""
        return self._governance.erasing.restore(dsr_id, private_key, actor, totp, purpose=purpose, door=door)

    def request_purge(
        self, dsr_id: str, actor: "Who", totp: str | None = None, *, door: bool = False
    ) -> dict[str, Any]:
        """Ask that the keys of an erasure be destroyed for good."""
        return self._governance.erasing.request_purge(dsr_id, actor, totp, door=door)

    # Approvals

    def request_review(self, job_id: str, requested_by: str = "user") -> dict[str, Any]:
        """Ask for a person to look at an answer; the result becomes an amendment."""
        return self._governance.reviews.request(job_id, requested_by)

    def approvals(self, *, only_open: bool = False) -> list[dict[str, Any]]:
        return self._governance.approvals.all(only_open=only_open)

    def approval(self, request_id: str) -> dict[str, Any]:
        return self._governance.approvals.get(request_id)

    def vote(
        self,
        request_id: str,
        member: "Who",
        vote: str,
        totp: str | None = None,
        *,
        door: bool = False,
        job_seed: str | None = None,
    ) -> dict[str, Any]:
        """Take a vote (`approve`, `reject`, `abstain`); the one that decides carries out what was asked for."""
        return self._governance.approvals.vote(request_id, member, vote, totp, door=door, job_seed=job_seed)

    def request_quarantine(
        self, module_id: str, actor: "Who", totp: str | None = None, *, door: bool = False
    ) -> dict[str, Any]:
        return self._governance.violations.request_quarantine(module_id, actor, totp, door=door)

    def request_release(
        self, module_id: str, actor: "Who", totp: str | None = None, *, door: bool = False
    ) -> dict[str, Any]:
        return self._governance.violations.request_release(module_id, actor, totp, door=door)

    def propose_policy(self, text: str, actor: "Who", totp: str | None = None, *, door: bool = False) -> dict[str, Any]:
        return self._governance.authority.propose_policy(text, actor, totp, door=door)

    # Incidents

    def report_violation(
        self, module_id: str, rule: str, evidence: dict[str, Any] | None = None, job_seed: str | None = None
    ) -> dict[str, Any]:
        """Take a module offline that broke the policy, with its writes blocked and the evidence kept."""
        return self._governance.violations.report(module_id, rule, evidence, job_seed)

    def report_security_incident(
        self, reason: str, jobs: list[str] | None = None, evidence: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Put a security incident on the record and halt replays of the jobs it touches."""
        return self._governance.reporting.security_incident(reason, jobs, evidence)

    def acknowledge_incident(
        self, incident_id: str, actor: "Who", totp: str | None = None, *, door: bool = False
    ) -> dict[str, Any]:
        """Note on the record that an admin has seen an incident."""
        return self._governance.authority.acknowledge(incident_id, actor, totp, door=door)

    def lift_replay_halt(
        self, incident_id: str, actor: "Who", totp: str | None = None, *, door: bool = False
    ) -> dict[str, Any]:
        """Let replays run again after the findings of an incident were attested; where there is a council, ask it."""
        return self._governance.authority.lift_halt(incident_id, actor, totp, door=door)

    # The forensic store

    def set_forensic_key(
        self, public_key: str, actor: "Who", totp: str | None = None, *, door: bool = False
    ) -> dict[str, Any]:
        return self._governance.forensics.set_key(public_key, actor, totp, door=door)

    def forensic_entries(self) -> list[dict[str, Any]]:
        return self._governance.forensics.entries()

    def read_forensic(
        self,
        entry_id: str,
        private_key: str | None,
        actor: "Who",
        totp: str | None = None,
        *,
        purpose: str,
        door: bool = False,
    ) -> Any:
        return self._governance.forensics.read(entry_id, private_key, actor, totp, purpose=purpose, door=door)

    def read_log_unredacted(
        self, log_id: str, actor: "Who", totp: str | None = None, *, purpose: str, door: bool = False
    ) -> dict[str, Any]:
        """A reflective log as it was written, for an admin; leaves an `admin_access_event`."""
        return self._governance.unredacted.log(log_id, actor, totp, purpose=purpose, door=door)

    def read_event_unredacted(
        self, event_id: str, actor: "Who", totp: str | None = None, *, purpose: str, door: bool = False
    ) -> list[dict[str, Any]]:
        """Events of this id with their sealed contents, for an admin; leaves an `admin_access_event`."""
        return self._governance.unredacted.event(event_id, actor, totp, purpose=purpose, door=door)

    def read_quarantine_unredacted(
        self, quarantine_id: str, actor: "Who", totp: str | None = None, *, purpose: str, door: bool = False
    ) -> dict[str, Any]:
        """A quarantined payload or row as it was found, for an admin; leaves an `admin_access_event`."""
        return self._governance.unredacted.quarantined(quarantine_id, actor, totp, purpose=purpose, door=door)

    # Accounts

    def prove_role(
        self, actor: "Who", totp: str | None = None, roles: list[str] | None = None, *, door: bool = False
    ) -> str:
        """Let somebody show that they act in one of these roles (by default an admin), before a verb that asks nobody.

        Until an admin has a second factor, whoever runs the node may. Returns the name that goes onto the record.
        """
        return self._governance.accounts.manager(actor, totp, frozenset(roles or ["admin"]), door=door)

    def create_account(
        self,
        name: str,
        roles: list[str],
        actor: "Who",
        totp: str | None = None,
        *,
        user_id: str | None = None,
        door: bool = False,
    ) -> dict[str, Any]:
        return self._governance.accounts.create(name, roles, actor, totp, user_id=user_id, door=door)

    def change_account(
        self,
        name: str,
        actor: "Who",
        totp: str | None = None,
        *,
        roles: list[str] | None = None,
        active: bool | None = None,
        door: bool = False,
    ) -> dict[str, Any]:
        return self._governance.accounts.change(name, actor, totp, roles=roles, active=active, door=door)

    def accounts(self) -> list[dict[str, Any]]:
        return self._governance.accounts.all()

    def enrol_second_factor(
        self, name: str, actor: "Who", totp: str | None = None, *, door: bool = False
    ) -> dict[str, str]:
        """Give an account a second factor: `{account, secret, uri}`, shown this once."""
        return self._governance.accounts.enrol(name, actor, totp, door=door)

    def issue_token(
        self,
        account: str,
        actor: "Who",
        totp: str | None = None,
        *,
        life: timedelta | None = None,
        roles: list[str] | None = None,
        scopes: list[str] | None = None,
        door: bool = False,
    ) -> dict[str, Any]:
        options = {} if life is None else {"life": life}
        return self._governance.bearers.issue(account, actor, totp, roles=roles, scopes=scopes, door=door, **options)

    def revoke_token(
        self, account: str, token_id: str, actor: "Who", totp: str | None = None, *, door: bool = False
    ) -> dict[str, Any]:
        return self._governance.bearers.revoke(account, token_id, actor, totp, door=door)

    def tokens(self, account: str) -> list[dict[str, Any]]:
        return self._governance.bearers.of(account)

    def bearer(self, token: str, totp: str | None = None) -> "Acting":
        """Who carries this token, proved by a code where one is given; every verb takes the result as its actor."""
        return self._governance.bearers.bearer(token, totp)

    def authorise(self, principal: "Principal", action: str, resource: "Resource") -> "Decision":
        """Let the policy decide; raises `PermissionDenied` with the policy's id on the record."""
        return self._governance.authority.authorise(principal, action, resource)

    def fact_grant(self, principal: "Principal") -> "FactGrant":
        return self._governance.authority.grant(principal)
