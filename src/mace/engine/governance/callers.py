"""Callers: the only place that makes one, and that knows again what it made.

The owner holds the keys of the store; a token shows an account; `on_behalf_of` is a user whom the embedding program has
authenticated itself. Whoever acts in the name of an account proves it with that account's code, the owner too: three
votes must not come from one hand. What a token allowed when it was shown is looked up again with each verb, so revoking
it, switching its account off or taking a role away counts at once. So is the person that a user's id means: while
nobody has claimed it, another id may come to own it. What a Caller says of itself is compared with what it was made as.
"""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, get_args
from weakref import WeakKeyDictionary

from mace.core.answers import Role
from mace.core.caller import Caller, fields_of, mint
from mace.core.errors import AuthError, InvalidInput, PermissionDenied, WrongType
from mace.core.times import to_ms
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.joining import OWNER as THE_OWNER
from mace.engine.kernel.joining import Speaker
from mace.engine.kernel.persons import person_of
from mace.engine.kernel.privacy import check_user_id
from mace.engine.kernel.user_ids import translated
from mace.engine.kernel.world import World
from mace.governance.access import STRONG_ROLES, Principal

if TYPE_CHECKING:
    from mace.engine.governance.accounts import Accounts
    from mace.engine.governance.bearers import Bearers

OWNER = "owner"
SECOND_FACTOR_LIFE = timedelta(minutes=15)  # how long a proved code counts for the Caller it made
ROLES: tuple[Role, ...] = get_args(Role)
_RESERVED = frozenset({"system", "user"})  # who signs what nobody, or a person themselves, caused


class Callers:
    def __init__(
        self, world: World, accounts: "Callable[[], Accounts]", bearers: "Callable[[], Bearers]", *, embedded: bool
    ) -> None:
        self._world = world
        self._accounts = accounts
        self._bearers = bearers
        self.embedded = embedded
        self._made: WeakKeyDictionary[Caller, tuple[object, ...]] = WeakKeyDictionary()
        self.root = self._owner(OWNER)

    # Making

    def owner(self, name: str | None = None, roles: Iterable[Role] | None = None, totp: str | None = None) -> Caller:
        """The owner; under another name, in fewer roles, or as an account that proves itself with its code."""
        if name is None and roles is None and totp is None:
            return self.root
        wanted = None if roles is None else _known(roles)
        if name is not None:
            check_words(name, "name", 64)
            check_user_id(name)
            if self._is_account(name):
                return self._account(name, wanted, totp)
            if name in _RESERVED:
                raise PermissionDenied(actor="the owner", action=f"act as {name}")
        if totp is not None:
            raise InvalidInput("totp is the code of an account, and no account has this name")
        if wanted is None or "admin" in wanted:
            return self._owner(name or OWNER)
        user_id = self._known_as(name) if name is not None and wanted & {"user", "agent"} else None
        return self._keep(
            mint(
                name=name or OWNER,
                roles=wanted,
                person=None if user_id is None else self._person(user_id),
                user_id=user_id,
                second_factor=False,
                scopes=frozenset(),
                via="owner",
            )
        )

    def authenticate(self, token: str, totp: str | None = None) -> Caller:
        """Who shows this token, proved by a code where one is given; `AuthError` for anything else."""
        shown = self._bearers().read(token)
        step = None if totp is None else self._accounts().confirm(shown.account, totp)
        return self._keep(
            mint(
                name=shown.account,
                roles=shown.roles,
                person=shown.person or None,
                user_id=self._user_id(shown.account),
                second_factor=step is not None,
                scopes=shown.scopes,
                via="token",
                step=step,
                factor=self._factor(shown.account),
                token=shown.token_hash,
                proved_at_ms=None if step is None else self._now_ms(),
            )
        )

    def on_behalf_of(self, user_id: str) -> Caller:
        """A user whom the embedding program has authenticated: role `user`, that person's things only."""
        known_as = self._known_as(user_id)
        return self._keep(
            mint(
                name=known_as,
                roles=frozenset({"user"}),
                person=self._person(known_as),
                user_id=known_as,
                second_factor=False,
                scopes=frozenset(),
                via="on_behalf_of",
            )
        )

    def _owner(self, name: str) -> Caller:
        return self._keep(
            mint(
                name=name,
                roles=frozenset({"admin"}),
                person=None,
                second_factor=False,
                scopes=frozenset(),
                via="owner",
                is_owner=True,
            )
        )

    def _account(self, name: str, wanted: frozenset[Role] | None, totp: str | None) -> Caller:
        account = self._world.store.read(lambda tx: self._accounts().shown(tx, name))
        held: frozenset[Role] = frozenset(account["roles"])
        roles = held if wanted is None else held & wanted
        if not account["active"] or not roles:
            raise PermissionDenied(actor=name, action=f"act as {' or '.join(sorted(wanted or held))}")
        proves = account["second_factor"] or bool(roles & STRONG_ROLES)
        step = self._accounts().confirm(name, totp) if proves else None
        return self._keep(
            mint(
                name=name,
                roles=roles,
                person=account["person"] or None,
                user_id=self._user_id(name),
                second_factor=step is not None,
                scopes=frozenset(),
                via="owner",
                is_account=True,
                step=step,
                factor=self._factor(name),
                proved_at_ms=None if step is None else self._now_ms(),
            )
        )

    def _keep(self, made: Caller) -> Caller:
        self._made[made] = fields_of(made)
        return made

    def _is_account(self, name: str) -> bool:
        return self._world.store.read(lambda tx: self._accounts().exists(tx, name))

    def _factor(self, account: str) -> int:
        return self._world.store.read(lambda tx: len(self._accounts().factors(tx, account)))

    def _standing(self, name: str) -> frozenset[Role]:
        account = self._world.store.read(lambda tx: self._accounts().shown(tx, name))
        if not account["active"]:
            raise AuthError("the account is not active")
        return frozenset(account["roles"])

    def _known_as(self, user_id: str) -> str:
        return str(translated(user_id, self._world.user_ids.mode)) if isinstance(user_id, str) else user_id

    def _person(self, user_id: str) -> str:
        check_user_id(user_id)
        return self._world.store.read(lambda tx: person_of(self._world.slots, tx, user_id))

    def _user_id(self, account: str) -> str | None:
        return self._world.store.read(lambda tx: self._accounts().user_id(tx, account))

    def _now_ms(self) -> int:
        return to_ms(self._world.clock.now())

    # Knowing again

    def check(self, caller: object) -> Caller:
        """Return a Caller that was made here; refuse everything else."""
        if not isinstance(caller, Caller) or self._made.get(caller) != fields_of(caller):
            raise AuthError("caller was not made by this open MACE; call its owner, authenticate or on_behalf_of")
        return caller

    def speaker(self, caller: Caller) -> Speaker:
        """Whose seeds a caller may name: the owner's anybody's, everybody else's their own."""
        return THE_OWNER if caller._is_owner else Speaker(is_owner=False, person=self.principal(caller).person or None)

    def principal(self, caller: Caller) -> Principal:
        """A caller as the policy sees them now: token, account and person are looked up again, a code grows old."""
        self.check(caller)
        roles, factor, person = caller.roles, caller.second_factor, caller.person
        if caller._token is not None:
            roles = roles & self._bearers().standing(caller._token).roles
        elif caller._step is not None or caller._is_account:
            roles = roles & self._standing(caller.name)
        elif caller.via == "owner" and caller is not self.root and self._is_account(caller.name):
            raise AuthError(f"{caller.name} is an account now; act as it with its second-factor code")
        if person is not None and caller._user_id is not None:
            person = self._person(caller._user_id)
        if caller.via == "owner" and self.embedded and not caller._is_account:
            factor = True  # whoever holds the keys of a directory needs none there
        if caller._step is not None and self._factor(caller.name) != caller._factor:
            factor = False  # it was replaced since: perhaps somebody stole it
        if caller._proved_at_ms is not None:
            age_ms = abs(self._now_ms() - caller._proved_at_ms)  # also where the clock was set back since
            factor = factor and age_ms <= SECOND_FACTOR_LIFE // timedelta(milliseconds=1)
        return Principal(
            name=caller.name,
            roles=frozenset(roles),
            person=person or "",
            scopes=caller.scopes,
            second_factor=factor,
            is_owner=caller._is_owner,
        )


def _known(roles: Iterable[Role]) -> frozenset[Role]:
    if isinstance(roles, str) or not isinstance(roles, Iterable):
        raise WrongType(f"roles must be a list of roles, got {type(roles).__name__}")
    wanted = frozenset(role for role in roles if isinstance(role, str))
    if not wanted or wanted - set(ROLES):
        raise InvalidInput(f"roles must be one or more of {', '.join(ROLES)}")
    return wanted
