"""Secrets that people carry: bearer tokens, one-time proof codes, second-factor codes.

Pure. Random bytes and hashes are passed in or out; nothing here keeps a secret. What is stored of one is a hash, and
every answer about one says why, so that the refusal can be recorded.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

TOKEN_PREFIX = "mace_"  # noqa: S105 (shown to people, found by secret scanners)
TOKEN_BYTES = 32
PROOF_BYTES = 10
TOTP_BYTES = 20


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
    state: FactorState, step: int | None, now_ms: int, rules: FactorRules
) -> tuple[FactorState, FactorVerdict]:
    """Take in one attempt; `step` is the time step whose code was given, None when no code of the window fits.

    A code counts once: neither it nor an older one is taken again. Failures in a row lock the account for a while, and
    while it is locked not even the right code is looked at.
    """
    if now_ms < state.locked_until_ms:
        return state, FactorVerdict.LOCKED
    if step is not None and step > state.last_step:
        return FactorState(last_step=step), FactorVerdict.GOOD
    verdict = FactorVerdict.WRONG if step is None else FactorVerdict.REPLAYED
    failures = state.failures + 1
    if failures >= rules.failures:
        return replace(state, failures=0, locked_until_ms=now_ms + rules.lock_ms), verdict
    return replace(state, failures=failures), verdict
