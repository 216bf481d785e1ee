"""`m.approvals`: what nobody may do alone."""

from typing import Annotated, Any, TypeAlias, cast

from mace.core.answers import ApprovalView, VoteAnswer, VoteChoice
from mace.engine.arguments import Id, Line, Text
from mace.engine.groups.base import Group, called
from mace.engine.verbs import verb
from mace.governance.policy.bounds import MAX_POLICY_BYTES

_ApprovalViews: TypeAlias = list[ApprovalView]  # `list` is a verb below


class ApprovalsGroup(Group):
    """Requests that wait for votes, and the votes."""

    def __call__(self, *, only_open: bool = False) -> _ApprovalViews:
        """All requests; use `list()`."""
        called("approvals", "list()")
        return self.list(only_open=only_open)

    @verb("approvals.list")
    def list(self, *, only_open: bool = False) -> _ApprovalViews:
        """All requests, oldest first, with their votes; `only_open` for those that wait, late ones among them.

        To those who may vote with what each asks for. What is damaged is left out; `m.left_out("approvals.list")`
        says how many.
        """
        votes = self._votes()
        found = self._parts.approvals.all(only_open=only_open, asks=votes)
        return cast(_ApprovalViews, found if votes else [_without_whose(item) for item in found])

    @verb("approvals.show")
    def show(self, request_id: Id) -> ApprovalView:
        """One request with its votes; to those who may vote, with what it asks for."""
        votes = self._votes()
        held = self._parts.approvals.get(request_id, asks=votes)
        return cast(ApprovalView, held if votes else _without_whose(held))

    def _votes(self) -> bool:
        """Whether the caller may vote, and so is shown whose things a request is about."""
        return self._is_owners or bool(self._desk.may(self._caller, "approval_vote"))

    @verb("approvals.vote")
    def vote(
        self, request_id: Id, vote: VoteChoice, *, reason: Line | None = None, job_seed: Line | None = None
    ) -> VoteAnswer:
        """Vote; the vote that decides carries out what was asked for."""
        taken = self._parts.approvals.vote(request_id, self._caller, vote, reason=reason, job_seed=job_seed)
        return cast(VoteAnswer, taken)

    @verb("approvals.request_review")
    def request_review(self, job_id: Id) -> ApprovalView:
        """Ask for a person to look at an answer; the result becomes an amendment of its log."""
        return cast(ApprovalView, self._parts.reviews.request(job_id, self._mace._signer))

    @verb("approvals.propose_policy")
    def propose_policy(self, text: Annotated[str, Text(MAX_POLICY_BYTES)]) -> ApprovalView:
        """Ask for another access policy; it must parse, and is in force once approved."""
        return cast(ApprovalView, self._parts.authority.propose_policy(text, self._by))


def _without_whose(held: dict[str, Any]) -> dict[str, Any]:
    """A request as those see it who do not vote: what is asked for, not whose it is."""
    hidden = {name: "[redacted]" if name in ("person", "key") else value for name, value in held["details"].items()}
    about = "[redacted]" if hidden != held["details"] else held["about"]
    return {**held, "details": hidden, "about": about}
