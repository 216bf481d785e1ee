"""Secrets that people carry: bearer tokens, one-time proof codes, second-factor codes.

Pure. Random bytes and hashes are passed in or out; nothing here keeps a secret. What is stored of one is a hash, and
every answer about one says why, so that the refusal can be recorded.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

TOKEN_PREFIX = "mace_"  # noqa: S105 (shown to people, found by secret scanners)
TOKEN_BYTES = 32
PROOF_BYTES = 10
TOTP_BYTES = 20
STEP_MS = 30_000  # one time step of a second-factor code


def token_text(random: bytes) -> str:
    return TOKEN_PREFIX + base64.urlsafe_b64encode(random).rstrip(b"=").decode()


def token_hash(token: str) -> str:
    """What is stored: a token is 256 random bits, so a plain hash cannot be guessed back."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def proof_text(random: bytes) -> str:
    """A code that can be read out: sixteen letters and digits in fours."""
    plain = base64.b32encode(random).decode()
    return "-".join(plain[at : at + 4] for at in range(0, len(plain), 4))


def proof_plain(code: str) -> str:
    """The code as it is hashed, however it was typed."""
    return "".join(character for character in code.upper() if character.isalnum())


def totp_secret(random: bytes) -> str:
    return base64.b32encode(random).decode()


class Standing(StrEnum):
    GOOD = "good"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    REVOKED = "revoked"
    USED = "used"


def standing(expires_at: datetime | None, now: datetime, *, revoked: bool = False, used: bool = False) -> Standing:
    """Say whether a secret that exists still counts; `expires_at` None means that it does not exist."""
    if expires_at is None:
        return Standing.UNKNOWN
    if revoked:
        return Standing.REVOKED
    if used:
        return Standing.USED
    return Standing.EXPIRED if now >= expires_at else Standing.GOOD


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorRules:
    window_steps: int = 1  # clocks differ: one step before and after
    failures: int = 5
    lock_ms: int = 900_000
    ahead_steps: int = 120  # how far clocks of nodes may differ; a used step further ahead is that of a wrong clock


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorState:
    """What is kept of an account's second factor: the last step that was used, failures in a row, a lock."""

    last_step: int = -1
    failures: int = 0
    locked_until_ms: int = 0


def state_to_json(state: FactorState) -> dict[str, int]:
    """The state as an event holds it."""
    return {"last_step": state.last_step, "failures": state.failures, "locked_until_ms": state.locked_until_ms}


def state_from_json(content: Mapping[str, int]) -> FactorState:
    return FactorState(
        last_step=content["last_step"], failures=content["failures"], locked_until_ms=content["locked_until_ms"]
    )


class FactorVerdict(StrEnum):
    GOOD = "good"
    WRONG = "wrong"
    REPLAYED = "replayed"
    LOCKED = "locked"


def judge_factor(
    state: FactorState, step: int | None, now_ms: int, rules: FactorRules, used: Iterable[int] = ()
) -> tuple[FactorState, FactorVerdict]:
    """Take in one attempt; `step` is the time step whose code was given, None when no code of the window fits.

    A code counts once: neither it nor an older one is taken again. Failures in a row lock the account for a while, and
    while it is locked not even the right code is looked at.

    A clock that ran ahead and was set right must not lock anybody out until the date it showed. Where the last step
    that was used lies far ahead of this clock, what counts is the newest one of `used` that does not; the one ahead
    stays remembered and is not taken again when its time comes. A lock that would last longer than locks do begins
    anew.
    """
    if now_ms < state.locked_until_ms:
        until_ms = min(state.locked_until_ms, now_ms + rules.lock_ms)
        return replace(state, locked_until_ms=until_ms), FactorVerdict.LOCKED
    last_step = state.last_step
    if is_ahead(state, now_ms, rules):
        last_step = max((held for held in used if held <= _latest_step(now_ms, rules)), default=-1)
    if step is not None and step > last_step:
        return FactorState(last_step=max(step, state.last_step)), FactorVerdict.GOOD
    verdict = FactorVerdict.WRONG if step is None else FactorVerdict.REPLAYED
    failures = state.failures + 1
    if failures >= rules.failures:
        return replace(state, failures=0, locked_until_ms=now_ms + rules.lock_ms), verdict
    return replace(state, failures=failures), verdict


def is_ahead(state: FactorState, now_ms: int, rules: FactorRules) -> bool:
    """Whether the last step that was used lies far ahead of this clock: it went back since."""
    return state.last_step > _latest_step(now_ms, rules)


def _latest_step(now_ms: int, rules: FactorRules) -> int:
    """The last step that a clock which is about right can have used by now."""
    return now_ms // STEP_MS + rules.window_steps + rules.ahead_steps
