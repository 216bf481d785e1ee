"""`m.accounts`: accounts, tokens, second factors and proofs of identity."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, TypeAlias, cast, get_args

from mace.core.answers import (
    AccountView,
    IdentityProof,
    IssuedToken,
    Role,
    SecondFactorSecret,
    TokenRevoked,
    TokenView,
)
from mace.core.errors import InvalidInput
from mace.engine.arguments import Id, Ids, Line, Text, Texts
from mace.engine.governance.bearers import TOKEN_LIFE
from mace.engine.governance.dsr import PROOF_LIFE
from mace.engine.groups.base import Group, called
from mace.engine.verbs import ACTIONS, verb

Strings: TypeAlias = list[str]
Roles = Annotated[Sequence[Role], Texts(Text(64), get_args(Role))]


_AccountViews: TypeAlias = list[AccountView]  # `list` is a verb below
_TokenViews: TypeAlias = list[TokenView]  # `list` is a verb below


class AccountsGroup(Group):
    """Accounts, tokens, second factors and proofs of identity; for admins."""

    def __call__(self) -> _AccountViews:
        """All accounts; use `list()`."""
        called("accounts", "list()")
        return self.list()

    @verb("accounts.list")
    def list(self) -> _AccountViews:
        """All accounts, without secrets."""
        return cast(_AccountViews, self._parts.accounts.all())

    @verb("accounts.create")
    def create(self, name: Id, roles: Roles, *, user_id: Id | None = None) -> AccountView:
        """Make an account, of a user where one is named. A seat on the council is decided by the council."""
        return cast(AccountView, self._parts.council.create(name, [*roles], self._by, user_id=user_id))

    @verb("accounts.change")
    def change(self, name: Id, *, roles: Roles | None = None, active: bool | None = None) -> AccountView:
        """Give an account other roles, or switch it off or on; its tokens follow at once."""
        wanted: Strings | None = None if roles is None else [*roles]
        return cast(AccountView, self._parts.council.change(name, self._by, roles=wanted, active=active))

    @verb("accounts.enrol_second_factor")
    def enrol_second_factor(self, name: Id, *, sealed_to: Line | None = None) -> SecondFactorSecret:
        """Give an account a second factor: `{account, secret, uri, sealed}`, shown this once.

        With `sealed_to`, a public key of whoever it is for, only they can open it (`sealed`); `secret` and `uri` are
        empty. Where a council decides, that is so for its members, once it has approved.
        """
        return cast(SecondFactorSecret, self._parts.council.enrol(name, self._by, sealed_to))

    @verb("accounts.issue_token")
    def issue_token(
        self, name: Id, *, life: timedelta | None = None, roles: Roles | None = None, scopes: Ids | None = None
    ) -> IssuedToken:
        """Make a bearer token for an account, at most with its roles; the token is shown this once.

        `scopes` limits it to these actions of the policy; without them it may do whatever its roles may.
        """
        if scopes is not None and (not scopes or set(scopes) - ACTIONS):
            raise InvalidInput(
                "scopes must be one or more actions of the policy, such as sem_get; leave it out for all"
            )
        made = self._parts.bearers.issue(
            name,
            self._by,
            life=TOKEN_LIFE if life is None else life,
            roles=None if roles is None else [*roles],
            scopes=None if scopes is None else [*scopes],
        )
        return cast(IssuedToken, made)

    @verb("accounts.tokens")
    def tokens(self, name: Id) -> _TokenViews:
        """The tokens of an account, without the tokens themselves."""
        return cast(_TokenViews, self._parts.bearers.of(name))

    @verb("accounts.revoke_token")
    def revoke_token(self, name: Id, token_id: Id) -> TokenRevoked:
        """Take a token back, at once. Idempotent."""
        return cast(TokenRevoked, self._parts.bearers.revoke(name, token_id, self._by))

    @verb("accounts.issue_identity_proof")
    def issue_identity_proof(self, user_id: Id, *, life: timedelta | None = None) -> IdentityProof:
        """Make a one-time code for a person whom you have identified."""
        made = self._parts.requests.issue_proof(user_id, self._by, life=PROOF_LIFE if life is None else life)
        return cast(IdentityProof, made)
