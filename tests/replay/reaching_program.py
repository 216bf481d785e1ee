"""A program that no job was performed with."""

from typing import Any

import mace
from mace import Job


@mace.program("reaches", version="1")
def reaches(job: Job, given: Any) -> Any:
    return given
