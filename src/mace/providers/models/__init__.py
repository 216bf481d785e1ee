"""Language engines: the port and its words. Light; the adapter is `engine` and is named by wiring alone."""

from mace.providers.models.port import (
    Attempt,
    FailureKind,
    KeyStatus,
    LanguageEngine,
    ModelAnswer,
    ModelDown,
    ModelRequest,
    key_status,
)

__all__ = [
    "Attempt",
    "FailureKind",
    "KeyStatus",
    "LanguageEngine",
    "ModelAnswer",
    "ModelDown",
    "ModelRequest",
    "key_status",
]
