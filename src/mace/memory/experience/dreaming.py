"""What the Dreamer decides about a pair, and when it must look at it again.

Pure: a pair, its rules and an instant in, the changes with their reasons out. It writes no text and stores nothing.
A pair that is not due cannot have a change: `next_look` never lies behind the instant at which decay alone would
bring one about.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mace.memory.experience.megrams import BEST_PRACTICE, CONSTRAINT, DAY_US, SLOWEST
from mace.memory.experience.pairs import Pair
from mace.memory.experience.potentials import Potentials, Sums

PROMOTES_ATTENTION, PROMOTES_DECISION, FORGETS_BELOW = 5.0, 3.0, 0.1
NEVER_US = 2**63 - 1
_HALF_A_ROUNDING = 5e-10  # thresholds are compared after rounding to nine decimals
_SLACK = 1e-11  # more than floats can be wrong by here; too early a look costs nothing


@dataclass(frozen=True, slots=True)
class Rule:
    """A live C entry as far as the decision needs it; `origin_us` is the later of created and last recalled."""

    megram_id: str
    sigma: float
    origin_us: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """One change and its reason; `rule` is set for a demotion."""

    kind: Literal["promotion", "demotion", "forgetting"]
    attention: float
    decision: float
    why: str
    sigma: float = 0.0
    state: str = ""
    rule: Rule | None = None


def verdicts(pair: Pair, rules: Sequence[Rule], now_us: int) -> list[Verdict]:
    """Return all changes that are due, in the order in which they are made: up first, then down."""
    if pair.held:
        return []
    now = pair.now(now_us)
    found: list[Verdict] = []
    standing = list(rules)
    promotion = _promotion(pair.fresh.at(now))
    if promotion is not None:
        found.append(promotion)
    live = Sums(pair.live.packed())
    count = pair.count
    for rule in standing:  # each demotion adds its successor, which the next one sees
        potentials = live.at(now)
        if round(rule.sigma * potentials.decision, 9) < 0:
            found.append(_demotion(rule, potentials))
            live.add(1.0, rule.sigma, SLOWEST, rule.origin_us)
            count += 1
            now = max(now, rule.origin_us)
    left = live.at(now)
    if count and round(left.attention, 9) < FORGETS_BELOW:
        why = f"attention {left.attention:.4f} is below {FORGETS_BELOW}"
        found.append(Verdict("forgetting", left.attention, left.decision, why))
    return found


def _promotion(fresh: Potentials) -> Verdict | None:
    attention, decision = round(fresh.attention, 9), round(fresh.decision, 9)
    if attention < PROMOTES_ATTENTION or abs(decision) < PROMOTES_DECISION:
        return None
    good = decision > 0
    side = f">= {PROMOTES_DECISION}" if good else f"<= -{PROMOTES_DECISION}"
    why = f"attention {attention:.4f} >= {PROMOTES_ATTENTION} and decision {decision:.4f} {side}"
    state = BEST_PRACTICE if good else CONSTRAINT
    return Verdict("promotion", fresh.attention, fresh.decision, why, 1.0 if good else -1.0, state)


def _demotion(rule: Rule, live: Potentials) -> Verdict:
    why = f"the live decision {live.decision:.4f} contradicts a rule with sigma {rule.sigma:+.0f}"
    return Verdict("demotion", live.attention, live.decision, why, rule.sigma, rule=rule)


def next_look(pair: Pair, now_us: int) -> int:
    """Return an instant before which decay alone brings no change; a new Megram makes the pair due at once."""
    if pair.held or not pair.count:
        return NEVER_US
    now = pair.now(now_us)
    parts = pair.live.by_decay(now)
    days = [_days_to_forgetting(parts)]
    live = [(k, decision) for k, _, decision in parts]
    if pair.rules_for:
        days.append(_days_to_fall(live, -_HALF_A_ROUNDING))
    if pair.rules_against:
        days.append(_days_to_rise(live, _HALF_A_ROUNDING))
    fresh = pair.fresh.by_decay(now)
    if math.fsum(part[1] for part in fresh) >= PROMOTES_ATTENTION - _HALF_A_ROUNDING:
        decisions = [(k, decision) for k, _, decision in fresh]
        days.append(_days_to_rise(decisions, PROMOTES_DECISION - _HALF_A_ROUNDING))
        days.append(_days_to_fall(decisions, _HALF_A_ROUNDING - PROMOTES_DECISION))
    soonest = min(days)
    if math.isinf(soonest) or soonest * DAY_US >= NEVER_US - now:
        return NEVER_US
    return now + int(soonest * DAY_US)


def forgotten_us(pair: Pair, now_us: int) -> int:
    """Return the instant at which decay alone lets a pair be forgotten, or one a little before it."""
    if pair.held or not pair.count:
        return NEVER_US
    now = pair.now(now_us)
    days = _days_to_forgetting(pair.live.by_decay(now))
    return NEVER_US if days * DAY_US >= NEVER_US - now else now + int(days * DAY_US)


def _days_to_forgetting(parts: list[tuple[float, float, float]]) -> float:
    """Newton's steps on the logarithm of attention, which is convex: they never pass the instant they seek."""
    least = FORGETS_BELOW - _HALF_A_ROUNDING
    days = 0.0
    for _ in range(4):
        left = [(k, attention * math.exp(-k * days)) for k, attention, _ in parts]
        total = math.fsum(rest for _, rest in left)
        if total <= least:
            return days
        rate = math.fsum(k * rest for k, rest in left) / total
        days += math.log(total / least) / rate
    return days


def _days_to_fall(parts: list[tuple[float, float]], threshold: float) -> float:
    """How long a decision surely stays above a threshold: it falls no faster and no further than what is good fades."""
    good = [(k, decision) for k, decision in parts if decision > 0.0]
    distance = math.fsum(decision for _, decision in parts) - threshold - _SLACK
    if not good or distance >= math.fsum(decision for _, decision in good):
        return math.inf
    return max(0.0, distance) / math.fsum(k * decision for k, decision in good)


def _days_to_rise(parts: list[tuple[float, float]], threshold: float) -> float:
    return _days_to_fall([(k, -decision) for k, decision in parts], -threshold)
