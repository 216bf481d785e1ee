"""Time-based one-time codes (RFC 6238), computed by a library; which were used is the engine's to remember.

The library accepts a code as often as it is given. Here a code is only matched to its time step, and the engine takes
each step once.
"""

import hmac
from datetime import datetime
from typing import Any

from mace.core.errors import PreconditionFailed

STEP_SECONDS = 30


class Totp:
    """Six digits, thirty seconds, SHA-1: what every authenticator app speaks."""

    def __init__(self, issuer: str = "MACE") -> None:
        self._issuer = issuer

    def provisioning_uri(self, secret: str, account: str) -> str:
        """The text of the QR code that an authenticator app reads; it holds the secret."""
        uri: str = _library().TOTP(secret).provisioning_uri(name=account, issuer_name=self._issuer)
        return uri

    def step_of(self, secret: str, code: str, at: datetime, window_steps: int) -> int | None:
        """Return the time step this code belongs to, near `at`; None when it fits none. Takes the same time for all."""
        plain = "".join(character for character in code if not character.isspace())
        now = _step(at)
        generator = _library().TOTP(secret)
        found = None
        for step in range(max(now - window_steps, 0), now + window_steps + 1):
            if hmac.compare_digest(generator.generate_otp(step).encode(), plain.encode("utf-8", "replace")):
                found = step
        return found

    def code_at(self, secret: str, at: datetime) -> str:
        """The code an authenticator shows at this time."""
        code: str = _library().TOTP(secret).generate_otp(_step(at))
        return code


def _step(at: datetime) -> int:
    """The number of a time step; the standard has none before 1970."""
    step = int(at.timestamp()) // STEP_SECONDS
    if step < 0:
        raise PreconditionFailed(f"one-time codes need a clock that is right; this one says {at:%Y-%m-%d}")
    return step


def _library() -> Any:
    try:
        import pyotp
    except ImportError:
        raise PreconditionFailed("second factors need the package pyotp: pip install pyotp") from None
    return pyotp
