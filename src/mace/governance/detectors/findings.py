"""What a detector says: types of personal data, how sensitive each is, and a finding with exact offsets.

Pure. It finds nothing itself. The table `SENSITIVITY` is the default of the privacy policy and part of its signed
snapshot: a type moved to another level changes what is blocked, so it is a policy change, not a tidy-up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

LOW = "low"
MEDIUM = "medium"
HIGH = "high"

RANK: Mapping[str, int] = MappingProxyType({LOW: 0, MEDIUM: 1, HIGH: 2})

SENSITIVITY: Mapping[str, str] = MappingProxyType(
    {
        # national identity and official documents
        "us_ssn": HIGH,
        "us_itin": HIGH,
        "national_id": HIGH,
        "passport": HIGH,
        "driver_license": HIGH,
        # money
        "payment_card": HIGH,
        "iban": HIGH,
        "bank_account": HIGH,
        # body and health
        "medical_record": HIGH,
        "health_insurance": HIGH,
        "diagnosis": HIGH,
        "biometric": HIGH,
        # what opens doors
        "private_key": HIGH,
        "access_token": HIGH,
        "password": HIGH,
        # how to reach or trace a person
        "phone": MEDIUM,
        "postal_address": MEDIUM,
        "email": MEDIUM,
        "birth_date": MEDIUM,
        "ip_address": MEDIUM,
        "mac_address": MEDIUM,
        "crypto_wallet": MEDIUM,
        # what the law protects by name (GDPR, articles 9 and 10), and what a person tells to few
        "religion": MEDIUM,
        "political_view": MEDIUM,
        "union_membership": MEDIUM,
        "ethnic_origin": MEDIUM,
        "sexual_orientation": MEDIUM,
        "criminal_record": MEDIUM,
        "blood_type": MEDIUM,
        "salary": MEDIUM,
        "maiden_name": MEDIUM,
        # seen, never blocked
        "url": LOW,
        "email_role": LOW,
        "ip_private": LOW,
        "birth_day": LOW,
        "first_name": LOW,
        "interest": LOW,
    }
)


class Finding(NamedTuple):
    """One piece of personal data; `start` and `end` are offsets into the text that was given."""

    type: str
    sensitivity: str
    start: int
    end: int
    rule: str
    version: int = 1  # of the rule: it grows when the rule decides differently


@dataclass(frozen=True, slots=True)
class JsonFinding:
    """A finding inside a JSON value.

    `path` leads from the root to the string or number (keys are `str`, list positions `int`); with `in_key` the
    offsets are into the last key of the path itself. Numbers and booleans are read as their JSON text.
    """

    path: tuple[str | int, ...]
    in_key: bool
    finding: Finding


class Hit(NamedTuple):
    """What a rule reports: offsets in the folded view, not yet in the original text."""

    rule: str
    start: int
    end: int


class Rule(NamedTuple):
    """A named rule: the type it finds and the version of its decision."""

    type: str
    version: int


def words(text: str) -> list[str]:
    """Return the words of a table that is written as plain text."""
    return text.split()


def phrases(text: str) -> list[str]:
    """Return the phrases of a table that is written as plain text with commas between them."""
    return [" ".join(phrase.split()) for phrase in text.split(",") if phrase.strip()]
