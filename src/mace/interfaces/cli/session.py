"""One run of the command line: where, for whom, as what, and how to print. Opens the MACE when a command asks for it.

Who acts is decided here, once, and what they may by the policy, in the engine:

- `--as user`: that user (`m.on_behalf_of`). On a database shared by nodes this is so without `--as`, too.
- `--as ROLE`: whoever holds the keys, with no more than this role, signing as `--user`.
- no `--as` in a directory: its owner, signing as `--user`.
- a `--user` that is the name of an account: with `--totp`, that account. Without, a verb that is done in one's own
  name (`Verb.in_own_name`: votes, accounts, unredacted reads and whatever else is strong) is refused, because an
  account acts with its code only: three votes never come from one hand. For everything else a name is just a name: the
  owner of a directory asks, stores and reads as before, and signs as `owner`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mace.core.answers import Role, VerifyReport
    from mace.core.caller import Caller
    from mace.engine.runtime import Mace
    from mace.settings import Settings


@dataclass
class Session:
    location: str | None = None
    json: bool = False
    user: str | None = None
    role: "Role | None" = None
    totp: str | None = None
    totp_file: str | None = None
    quiet: bool = False
    environ: Mapping[str, str] | None = None  # None: the real one; the demo brings its own
    shown: list[Any] = field(default_factory=list)  # what was printed, as values
    _settings: "Settings | None" = None
    _code_known: bool = False

    @property
    def settings(self) -> "Settings":
        if self._settings is None:
            from mace import settings

            self._settings = settings.read(self.location, self.environ)
        return self._settings

    @property
    def place(self) -> str:
        """The location as it may be printed: a password in it is masked."""
        return str(self.settings.shown()["location"])

    @property
    def actor(self) -> str:
        return self.user or self.settings.user

    @property
    def code(self) -> str | None:
        """The second-factor code, in whichever way it was given; asked for once."""
        if not self._code_known:
            from mace.interfaces.cli import secret

            self.totp = secret.given(self.totp, self.totp_file, "totp", "Second-factor code", self.environ)
            self._code_known = True
        return self.totp

    @property
    def only_reads(self) -> bool:
        """Whether this run writes nothing of its own, unless its verb is there to change something."""
        return self.role in ("viewer", "auditor")

    @contextmanager
    def open(
        self,
        verb: str,
        *,
        read_only: bool = False,
        name: str | None = None,
        of_the_node: bool = False,
        programs: Sequence[Callable[..., Any]] = (),
    ) -> "Iterator[Mace]":
        """Open what lies at the location, with the verbs of whoever acts; making a new one is for `init`.

        `verb` is the one that the command is about; `name` acts instead of `--user`. What is `of_the_node` (its disk,
        its settings) is looked at by whoever runs it, unless `--as` says otherwise. `programs` play jobs of their kind.
        """
        from mace import wiring
        from mace.engine.verbs import BY_NAME

        self._look_around()
        reads = read_only or (self.only_reads and BY_NAME[verb].does == "reads")
        reads = reads and self.code is None  # that a code was used is written down
        with wiring.open_mace(settings=self.settings, read_only=reads, programs=programs) as mace:
            if of_the_node and self.role is None and self.code is None:
                yield mace
                return
            with self._acting(mace, verb, name) as acting:
                yield acting

    def _look_around(self) -> None:
        from mace.interfaces.cli import location, output

        output.hear_warnings(self)
        location.must_be_there(self.settings)
        output.warn_of(location.open_to_others(self.settings))

    def verify(self, *, read_only: bool, quick: bool, progress: "Callable[[int, int], None]") -> "VerifyReport":
        """Verify what lies at the location, whatever became of it, as whoever acts."""
        from mace.interfaces.cli import output
        from mace.wiring import verifying

        self._look_around()

        def look(mace: "Mace") -> "VerifyReport":
            with self._acting(mace, "verify", None) as acting:
                report = acting.verify(read_only=read_only, quick=quick, progress=progress)
            if not report["ok"]:
                output.hear_no_warnings()  # closing will say "run verify"; that was just done
            return report

        reads = read_only and self.code is None  # that a code was used is written down
        return verifying.run(self.settings, look, read_only=reads, quick=quick, alone=self.owns_the_files)

    @property
    def owns_the_files(self) -> bool:
        """Whether a directory's owner acts, who named nobody: damaged files are theirs to look at."""
        return self.role is None and self.code is None and not self.settings.is_postgres

    @contextmanager
    def _acting(self, mace: "Mace", verb: str, name: str | None) -> "Iterator[Mace]":
        """The verbs of whoever acts, and refusals that say whom the policy would let do it."""
        from mace.core.errors import IntegrityFailure, PermissionDenied, developer_message
        from mace.engine.verbs import BY_NAME
        from mace.interfaces.cli.errors import Refusal

        try:
            caller = self._caller(mace, name or self.actor, in_own_name=BY_NAME[verb].in_own_name)
        except IntegrityFailure:
            if verb != "verify" or self.role is not None or self.totp is not None or self.settings.is_postgres:
                raise
            caller = mace.caller  # a directory's owner, who named nobody: a damaged store is theirs to verify
        try:
            yield mace.acting_as(caller)
        except PermissionDenied as error:
            raise PermissionDenied(**self._explained(error.details, mace, name or self.actor)) from None
        except Refusal as error:  # a verb that answers with its refusal
            details = self._explained(error.envelope["meta"], mace, name or self.actor)
            if details != error.envelope["meta"]:
                told = {"developer_message": developer_message("PERMISSION_DENIED", details), "meta": details}
                error.envelope = {**error.envelope, **told}
            raise

    def _caller(self, mace: "Mace", name: str, *, in_own_name: bool) -> "Caller":
        from mace.core.errors import AuthError, InvalidInput, PermissionDenied

        roles: list[Role] | None = None if self.role is None else [self.role]
        of_a_user = self.role == "user" or (self.role is None and self.settings.is_postgres)
        if self.code is None and of_a_user:
            return mace.on_behalf_of(name)
        if self.code is not None or in_own_name:
            return self._in_own_name(mace, name, roles)
        try:
            return mace.owner(name, roles=roles or ["admin"])
        except (AuthError, InvalidInput, PermissionDenied):  # an account's name, or one that cannot sign
            if self.role == "agent":
                raise  # an agent is its name
            return mace.owner(roles=roles)

    def _in_own_name(self, mace: "Mace", name: str, roles: "list[Role] | None") -> "Caller":
        from mace.core.errors import AuthError, InvalidInput, PermissionDenied

        try:
            return mace.owner(name, roles=roles, totp=self.code)
        except AuthError as error:
            if self.code is not None:
                raise
            hint = f"{name} is an account: add --totp CODE (or --totp -, which asks for it)"
            if not self.settings.is_postgres:
                hint += "; the owner of a directory may also act under a name that is no account, with --user"
            raise AuthError(str(error), hint=hint) from None
        except (InvalidInput, PermissionDenied):
            if self.code is None and roles is None and name == self.actor and self.user is None:
                return mace.owner()  # nobody chose this name: a login that cannot sign
            raise

    def _explained(self, refused: Mapping[str, Any], mace: "Mace", name: str) -> dict[str, Any]:
        """The details of a refusal by the policy, with who was refused, and whom the policy would let do it."""
        from mace.engine.desk import roles_that_may

        details = dict(refused)
        if "policy_id" not in details:
            return details
        role = self.role or ("user" if self.settings.is_postgres and self.code is None else None)
        if role is not None:
            details["actor"] = f"{name} as {role}"
        may = roles_that_may(mace, details["action"])
        if role is not None and role not in may:
            details.pop("needs", None)  # a second factor would not make this role one that may
        others = [item for item in may if item != role]
        if others and "needs" not in details:
            details["hint"] = f"the policy allows it to {' or '.join(others)} (--as ROLE)"
        return details

    # Who speaks

    @staticmethod
    def owns(mace: "Mace") -> bool:
        """Whether these are the verbs of the owner, who may name anybody; everybody else speaks for themselves."""
        by = mace.caller
        return by.via == "owner" and "admin" in by.roles and not by.second_factor

    def speaker(self, mace: "Mace") -> str | None:
        """The user that a verb is for; None where it follows from the caller."""
        return self.actor if self.owns(mace) else None
