"""Check digits: python-stdnum behind one safe call, and the checks written here.

Pure. stdnum modules are imported when first needed. Some of its validators raise what they should not, and some look
at today's date (za.idnr, be.nn, se.personnummer, kr.rrn, dk.cpr, no.fodselsnummer): those would make a decision depend
on the day it is made, so their checks are written here without a clock. Its look-up functions (`check_vies`,
`check_kps`, `check_dgii`...) reach for a network and are never called.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any


@lru_cache(maxsize=256)
def _module(name: str) -> Any:
    return import_module(f"stdnum.{name}")


@lru_cache(maxsize=8192)
def stdnum_valid(name: str, number: str) -> bool:
    """Say whether stdnum's `name` module finds `number` valid; whatever it raises means no."""
    try:
        _module(name).validate(number)
    except Exception:  # a validator that trips over hostile text has not validated it
        return False
    return True
