"""Asking a language engine for a rule, and what is kept of that."""

from mace.engine.experience.changes import Asked
from mace.engine.experience.contents import without_personal_data
from mace.providers.models.port import LanguageEngine, ModelAnswer, ModelDown, ModelRequest

_MAX_KEPT = 16_000  # characters of an answer, which should be one short rule


class PatientEngine:
    """The language engine for one pass: once it is down it is not asked again, or every cluster would wait for it."""

    def __init__(self, engine: LanguageEngine) -> None:
        self._engine = engine
        self._down: ModelDown | None = None

    def complete(self, request: ModelRequest) -> ModelAnswer:
        if self._down is not None:
            raise self._down
        try:
            return self._engine.complete(request)  # within its own limits
        except ModelDown as down:
            self._down = down
            raise


def as_kept(request: ModelRequest, answer: ModelAnswer) -> Asked:
    """The prompt was cleaned of personal data before it was sent; the answer may hold anything, and is cleaned here."""
    text = without_personal_data(_sayable(answer.text)[:_MAX_KEPT])
    return Asked(request.system, request.prompt, text, _sayable(answer.model), _sayable(answer.provider))


def _sayable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
