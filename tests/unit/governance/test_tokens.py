"""Tokens, proof codes and second factors: what is kept of them and when they count."""

from datetime import UTC, datetime, timedelta

import pytest

from mace.governance import tokens
from mace.governance.tokens import STEP_MS, FactorRules, FactorState, FactorVerdict, Standing, judge_factor

pytestmark = pytest.mark.stage1
NOW = datetime(2026, 3, 1, tzinfo=UTC)
RULES = FactorRules(failures=3, lock_ms=60_000)


@pytest.mark.parametrize(
    ("expires_in_s", "revoked", "used", "standing"),
    [
        (None, False, False, Standing.UNKNOWN),
        (60, False, False, Standing.GOOD),
        (0, False, False, Standing.EXPIRED),
        (60, True, False, Standing.REVOKED),
        (60, False, True, Standing.USED),
        (-1, True, True, Standing.REVOKED),
    ],
)
def test_when_a_secret_counts(expires_in_s: int | None, revoked: bool, used: bool, standing: Standing):
    until = None if expires_in_s is None else NOW + timedelta(seconds=expires_in_s)
    assert tokens.standing(until, NOW, revoked=revoked, used=used) is standing


def test_a_proof_is_the_same_however_it_is_typed():
    code = tokens.proof_text(b"\x01" * tokens.PROOF_BYTES)
    assert len(code.replace("-", "")) == 16
    assert tokens.proof_plain(f" {code.lower()} ") == tokens.proof_plain(code.replace("-", ""))


def test_tokens_look_like_tokens_and_their_hash_does_not_hold_them():
    token = tokens.token_text(b"\x07" * tokens.TOKEN_BYTES)
    assert token.startswith("mace_")
    assert token not in tokens.token_hash(token)
    assert tokens.token_hash(token) != tokens.token_hash(token + "x")


def test_a_code_counts_once_and_no_older_one_after_it():
    state, verdict = judge_factor(FactorState(), 10, 0, RULES)
    assert (verdict, state.last_step) == (FactorVerdict.GOOD, 10)
    for step in (10, 9):
        assert judge_factor(state, step, 0, RULES)[1] is FactorVerdict.REPLAYED
    assert judge_factor(state, 11, 0, RULES)[1] is FactorVerdict.GOOD


def test_failures_in_a_row_lock_and_a_good_code_forgets_them():
    state = FactorState()
    for _ in range(2):
        state, verdict = judge_factor(state, None, 0, RULES)
        assert verdict is FactorVerdict.WRONG
    good, _ = judge_factor(state, 5, 0, RULES)
    assert good.failures == 0
    state, _ = judge_factor(state, None, 0, RULES)
    assert judge_factor(state, 99, 59_999, RULES) == (state, FactorVerdict.LOCKED)
    assert judge_factor(state, 99, 60_000, RULES)[1] is FactorVerdict.GOOD


def test_replaying_a_code_counts_as_a_failure():
    state = FactorState(last_step=10)
    for _ in range(3):
        state, _ = judge_factor(state, 10, 0, RULES)
    assert judge_factor(state, 11, 0, RULES)[1] is FactorVerdict.LOCKED


YEARS = 5 * 365 * 24 * 120  # in steps
STEP = 1_000_000  # the step of the clock that is right


def _at(step: int) -> int:
    return step * STEP_MS


@pytest.mark.parametrize(
    ("step", "used", "now_step", "verdict"),
    [
        (STEP + 5, (STEP, STEP + YEARS), STEP + 5, FactorVerdict.GOOD),  # set right again: new codes count
        (STEP, (STEP, STEP + YEARS), STEP, FactorVerdict.REPLAYED),  # one from before the jump does not
        (STEP - 1, (STEP, STEP + YEARS), STEP, FactorVerdict.REPLAYED),  # nor an older one
        (STEP + 5, (STEP, STEP + 5, STEP + YEARS), STEP + 5, FactorVerdict.REPLAYED),  # nor one from after it
        (STEP + YEARS, (STEP, STEP + 5, STEP + YEARS), STEP + YEARS, FactorVerdict.REPLAYED),  # when its time has come
        (STEP + YEARS + 1, (STEP, STEP + 5, STEP + YEARS), STEP + YEARS, FactorVerdict.GOOD),
        (STEP, (STEP + 2,), STEP, FactorVerdict.REPLAYED),  # clocks of nodes that differ a little are no jump
    ],
)
def test_a_clock_that_was_ahead_locks_nobody_out(
    step: int, used: tuple[int, ...], now_step: int, verdict: FactorVerdict
):
    state = FactorState(last_step=max(used))
    after, came = judge_factor(state, step, _at(now_step), FactorRules(), used)
    assert came is verdict
    assert after.last_step == max(step if came is FactorVerdict.GOOD else 0, *used)  # no step is forgotten


def test_a_lock_from_a_clock_that_was_ahead_lasts_as_long_as_any():
    rules = FactorRules()
    state = FactorState(locked_until_ms=_at(STEP + YEARS))
    state, verdict = judge_factor(state, STEP, _at(STEP), rules)
    assert verdict is FactorVerdict.LOCKED
    assert state.locked_until_ms == _at(STEP) + rules.lock_ms
    assert judge_factor(state, STEP + 31, _at(STEP + 31), rules)[1] is FactorVerdict.GOOD
