"""What the detectors find in a text, for tests: the type and the words of each finding above low."""

from mace.governance.detectors import LOW, detect
from mace.governance.detectors.view import NEWEST


def found(text: str, field: str | None = None, *, version: int = NEWEST) -> set[tuple[str, str]]:
    findings = detect(text, field, version=version)
    return {(item.type, text[item.start : item.end]) for item in findings if item.sensitivity != LOW}
