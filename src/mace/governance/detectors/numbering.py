"""National numbering plans, asked quickly: is this a number that a region gives out, is it of a possible length.

Pure. The tables are those of the phonenumbers library, imported when a number is first asked about. Its `parse` costs
some fifty times as much as one look at the region's pattern, and a text may hold a number in every line; nothing is
remembered by value, so a new number costs what the last one did.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from mace.governance.detectors.findings import words

# Where a number without its country may be at home: the regions whose people write numbers most, in that order.
REGIONS = words(
    """
    US GB DE FR IT ES BR IN JP CN KR MX PL NL SE TR RU BE AT CH AU NO DK FI PT IE CZ HU RO GR UA ZA AR CL CO NZ SG HK
    TW MY ID PH TH VN IL AE EG NG KE PK BD
    """
)
# Those that write a 0 in front of the area inside the country.
TRUNK_REGIONS = words(
    """
    GB DE FR JP KR IN NL SE TR BE AT CH AU IT IE ZA NZ FI IL EG ID MY TH VN TW PH NG KE PK RO UA BR CN
    """
)
_KINDS = (
    "mobile", "fixed_line", "toll_free", "shared_cost", "voip", "personal_number", "premium_rate", "uan", "pager",
)  # fmt: skip


class Plan(NamedTuple):
    """What one region gives out: the trunk prefix, the pattern of a whole number, the lengths it may have."""

    prefix: str
    number: re.Pattern[str]
    lengths: frozenset[int]


@cache
def _plan(region: str) -> Plan | None:
    from phonenumbers.phonemetadata import PhoneMetadata

    data: Any = PhoneMetadata.metadata_for_region(region)
    if data is None:
        return None
    given = [getattr(data, kind) for kind in _KINDS]
    patterns = sorted({kind.national_number_pattern for kind in given if kind and kind.national_number_pattern})
    lengths = frozenset(length for length in data.general_desc.possible_length or () if length > 0)
    return Plan(data.national_prefix or "", re.compile("|".join(patterns) or "(?!)"), lengths)


@cache
def _regions_of() -> dict[int, tuple[str, ...]]:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    return dict(COUNTRY_CODE_TO_REGION_CODE)


def given_out(digits: str, region: str) -> bool:
    """Say whether a region gives out this number, written with its trunk prefix or without."""
    plan = _plan(region)
    if plan is None:
        return False
    if plan.number.fullmatch(digits) is not None:
        return True
    prefix = plan.prefix
    return bool(prefix) and digits.startswith(prefix) and plan.number.fullmatch(digits, len(prefix)) is not None


def given_out_somewhere(digits: str, regions: list[str]) -> bool:
    """Say whether one of the regions gives out this number; written out, since a number may be asked of all of them."""
    for region in regions:
        plan = _PLANS.get(region)
        if plan is None:
            if (made := _plan(region)) is None:
                continue
            plan = _PLANS[region] = made.prefix, len(made.prefix), made.number.fullmatch
        prefix, size, matches = plan
        if matches(digits) is not None or (size and digits.startswith(prefix) and matches(digits, size) is not None):
            return True
    return False


_PLANS: dict[str, tuple[str, int, Callable[..., object]]] = {}  # as `_plan` tells them, ready to be asked


def international(digits: str, possible_suffices: bool) -> bool:
    """Say whether a number with its country in front is given out there, or at least of a length used there."""
    codes = _regions_of()
    for size in (1, 2, 3):
        code = int(digits[:size])
        if code in codes:
            national = digits[size:]
            for region in codes[code]:
                plan = _plan(region)
                if plan is None:
                    continue
                if plan.number.fullmatch(national) or (possible_suffices and len(national) in plan.lengths):
                    return True
            return False
    return False
