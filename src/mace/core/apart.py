"""Which keys are kept apart from the data they open, so that a copy of the data brings back nothing that was erased.

A person's key, and the outer key of a forensic entry: taking such a key away is what erases. Every other key is wrapped
by a person's key and goes with it, or opens what nobody erases.
"""

APART = ("person/", "forensic/")
RANGES = tuple((prefix, f"{prefix[:-1]}0") for prefix in APART)  # "0" follows "/"


def is_kept_apart(ref: str) -> bool:
    """Say whether a key of this name lies apart from the data."""
    return ref.startswith(APART)
