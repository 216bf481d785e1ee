"""Who is calling: decided once, by an open MACE, and carried along from there.

A `Caller` cannot be built, copied, pickled or changed: it is proof of who somebody is, and a proof that can be made at
home proves nothing. `engine/governance/callers.py` mints them and knows again which ones it minted; a Caller of another
store, or one put together by hand, is refused there.
"""

from typing import Literal, NoReturn, final

from mace.core.answers.choices import Role

Via = Literal["owner", "token", "on_behalf_of"]

_MADE_BY = "a Caller is made by m.owner(), m.authenticate(token, totp) or m.on_behalf_of(user_id)"
_FIELDS = ("name", "roles", "person", "second_factor", "scopes", "via")


@final
class Caller:
    """Somebody who proved who they are. Frozen."""

    __slots__ = (
        "__weakref__",
        "_factor",
        "_is_account",
        "_is_owner",
        "_proved_at_ms",
        "_step",
        "_token",
        "_user_id",
        "name",
        "person",
        "roles",
        "scopes",
        "second_factor",
        "via",
    )

    name: str
    roles: frozenset[Role]
    person: str | None  # the user they are, as facts and logs name people; None for nobody's account
    second_factor: bool  # a second-factor code was proved when this was made
    scopes: frozenset[str]  # actions of the policy that their token is limited to; empty: not limited
    via: Via
    _is_owner: bool  # holds the keys of the store, with all its rights
    _is_account: bool  # acts as an account that proved itself on the node
    _step: int | None  # of the second-factor code that was used
    _factor: int | None  # which of the account's second factors it was
    _token: str | None  # hash of the token that was shown
    _proved_at_ms: int | None  # when the code was proved
    _user_id: str | None  # as the person is called; a slug cannot always be turned back into it

    def __init__(self) -> None:
        raise TypeError(_MADE_BY)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Caller cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Caller cannot be changed")

    def __copy__(self) -> NoReturn:
        raise TypeError(f"a Caller cannot be copied: {_MADE_BY}")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise TypeError(f"a Caller cannot be copied: {_MADE_BY}")

    def __replace__(self, **changes: object) -> NoReturn:
        raise TypeError(f"a Caller cannot be changed: {_MADE_BY}")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"a Caller cannot be pickled: {_MADE_BY}")

    def __init_subclass__(cls) -> None:
        raise TypeError("Caller cannot be subclassed")

    def __repr__(self) -> str:
        return f"Caller({', '.join(f'{name}={_shown(getattr(self, name))}' for name in _FIELDS)})"


def mint(
    *,
    name: str,
    roles: frozenset[Role],
    person: str | None,
    second_factor: bool,
    scopes: frozenset[str],
    via: Via,
    is_owner: bool = False,
    is_account: bool = False,
    step: int | None = None,
    factor: int | None = None,
    token: str | None = None,
    proved_at_ms: int | None = None,
    user_id: str | None = None,
) -> Caller:
    """Make a Caller; only `engine/governance/callers.py` does, and only what it made itself counts."""
    made = object.__new__(Caller)
    put = object.__setattr__
    put(made, "name", name)
    put(made, "roles", roles)
    put(made, "person", person)
    put(made, "second_factor", second_factor)
    put(made, "scopes", scopes)
    put(made, "via", via)
    put(made, "_is_owner", is_owner)
    put(made, "_is_account", is_account)
    put(made, "_step", step)
    put(made, "_factor", factor)
    put(made, "_token", token)
    put(made, "_proved_at_ms", proved_at_ms)
    put(made, "_user_id", user_id)
    return made


def fields_of(caller: Caller) -> tuple[object, ...]:
    """Everything a Caller says of itself, to be compared with what it was made as."""
    return tuple(getattr(caller, name, None) for name in Caller.__slots__ if name != "__weakref__")


def _shown(value: object) -> str:
    return "{" + ", ".join(sorted(map(str, value))) + "}" if isinstance(value, frozenset) else repr(value)
