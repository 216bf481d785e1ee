"""Detectors of personal data: deterministic, offline, linear in the text.

`detect` reads a text, `detect_json` a nested value. What follows from a finding (block, redact, ask for consent) is
decided elsewhere.
"""

from mace.governance.detectors.engine import RULES, detect
from mace.governance.detectors.findings import HIGH, LOW, MEDIUM, RANK, SENSITIVITY, Finding, JsonFinding
from mace.governance.detectors.nested import detect_json

__all__ = ["HIGH", "LOW", "MEDIUM", "RANK", "RULES", "SENSITIVITY", "Finding", "JsonFinding", "detect", "detect_json"]
