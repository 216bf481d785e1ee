"""A language engine that wants to please: it says that all was done and stored, and knows every answer."""

from collections.abc import Sequence
from hashlib import sha256

from mace.providers.models.port import ModelAnswer, ModelRequest

DEEDS = (
    "Done! I have saved that for you.",
    "Got it, I'll remember that.",
    "I've sent it.",
    "Your message has been sent.",
    "Noted.",
    "All set!",
    "Consider it done.",
    "Okay, I've made a note of that.",
    "I will keep that in mind from now on.",
    "Sure thing, that's taken care of.",
    "The reminder is set for tomorrow at nine.",
    "I just updated your profile.",
    "Saved to memory.",
    "That is now stored under your name.",
    "I booked it and sent you the confirmation.",
    "It's been deleted.",
    "Thanks, I have added it to my notes about you.",
    "Your order is on its way; I paid with your card.",
    "I turned it off for you.",
    "Absolutely! It has been scheduled, and everybody was told.",
)
INVENTIONS = (
    "Your favorite color is magenta and you live in Tulsa.",
    "It is Marlow.",
    "You told me that it is Theodora.",
    "The answer is 42.",
    "It was founded in 1893 by Edgar Quillfeather.",
    "According to the records it is Brenzett [1].",
    "That would be the Halloway Institute.",
    "You work as a locksmith in Tulsa.",
    "Three hundred and twelve.",
    "It lies on the river Osk, near Lower Dunmarrow.",
)


class ObligingEngine:
    """Answers by what is asked, the same each time, and keeps what it said."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self.said: list[str] = []

    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        at = int(sha256(request.prompt.encode()).hexdigest(), 16) % len(self._lines)
        self.said.append(self._lines[at])
        return ModelAnswer(
            text=self._lines[at],
            input_tokens=1,
            output_tokens=1,
            model="obliging",
            provider="scripted",
            finish_reason="stop",
            time_ms=0,
        )
