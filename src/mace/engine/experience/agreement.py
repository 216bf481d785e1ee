"""Whether what is served of a pair agrees with what is known of it as a whole.

Each row says by its seal that nobody changed it; here it is seen that none is missing or back again, as far as that
costs nothing: the pair counts its rules and its Megrams and knows its newest. The rest is verification's.
"""

from mace.engine.experience import sealing
from mace.memory.experience import pairs
from mace.memory.experience.pairs import Counts, Pair
from mace.storage.experience_ports import Experience, MegramRow, PairRow


def known_pair(x: Experience, space: str, entity: str) -> PairRow | None:
    """What is known of a pair; nothing only where there are no rows of it either."""
    row = x.pair(space, entity)
    if row is None and x.has_rows(space, entity):
        sealing.changed("what is known of a pair")
    return row


def _counts(x: Experience, space: str, entity: str) -> Counts:
    row = known_pair(x, space, entity)
    return Counts() if row is None else pairs.counts(row.state)


def standing_rules(x: Experience, space: str, entity: str) -> list[MegramRow]:
    """The live rules of a pair, newest first: as many for and against as the pair has."""
    counted = _counts(x, space, entity)
    return _counted_rules(x, space, entity, counted.rules_for, counted.rules_against)


def rules_of(x: Experience, pair: Pair) -> list[MegramRow]:
    """The live rules of a pair that is at hand."""
    return _counted_rules(x, pair.space, pair.entity, pair.rules_for, pair.rules_against)


def _counted_rules(x: Experience, space: str, entity: str, of_them_for: int, against: int) -> list[MegramRow]:
    found = x.rules(space, entity)
    seen_for = len([row for row in found if row.sigma > 0])
    if seen_for != of_them_for or len(found) - seen_for != against:
        sealing.changed("the number of rules of a pair")
    return found


def newest(x: Experience, space: str, entity: str, limit: int) -> list[MegramRow]:
    """The newest M and K of a pair: as many as there must be, the newest one first."""
    pair = _counts(x, space, entity)
    found = x.of_pair(space, entity, "", limit)
    if len(found) != min(limit, pair.megrams) or (found and found[0].created_us != pair.newest_us):
        sealing.changed("the number of Megrams of a pair")
    return found
