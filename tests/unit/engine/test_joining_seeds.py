"""Which seeds may be named by whom."""

import pytest

from mace.engine.kernel.joining import OWNER, Speaker, Stream, may_name, persons_in

ANA, EVE, NOBODY = "user_ana", "user_eve", Speaker(is_owner=False)
HERS, NOBODYS_VERB, NOBODYS_JOB = (
    Stream(frozenset({ANA}), is_job=True),
    Stream(frozenset(), is_job=False),
    Stream(frozenset(), is_job=True),
)
BOTH = Stream(frozenset({ANA, EVE}), is_job=False)


def me(person: str) -> Speaker:
    return Speaker(is_owner=False, person=person)


@pytest.mark.parametrize(
    ("held", "person", "speaker", "may"),
    [
        (None, None, NOBODY, True),
        (None, EVE, me(EVE), True),
        (HERS, ANA, me(ANA), True),
        (HERS, EVE, me(EVE), False),
        (HERS, ANA, me(EVE), False),
        (HERS, ANA, NOBODY, False),
        (HERS, None, NOBODY, False),
        (HERS, ANA, OWNER, True),
        (HERS, EVE, OWNER, False),
        (HERS, None, OWNER, False),
        (BOTH, ANA, me(ANA), False),
        (BOTH, ANA, OWNER, False),
        (NOBODYS_VERB, None, OWNER, True),
        (NOBODYS_VERB, ANA, OWNER, True),
        (NOBODYS_VERB, None, NOBODY, False),
        (NOBODYS_VERB, ANA, me(ANA), False),
        (NOBODYS_JOB, None, OWNER, True),
        (NOBODYS_JOB, ANA, OWNER, False),
        (NOBODYS_JOB, None, NOBODY, False),
    ],
)
def test_who_may_name_the_seed_of_a_stream(held: Stream | None, person: str | None, speaker: Speaker, may: bool):
    assert may_name(held, person, speaker) is may


@pytest.mark.parametrize(
    ("payload", "persons"),
    [
        ({"verb": "ask", "job": {"kind": "ask", "person": ANA}}, {ANA}),
        ({"verb": "ask", "job": {"kind": "ask", "person": ""}}, set()),
        ({"person": EVE, "action": "granted"}, {EVE}),
        ({"key": "user/profile/user_ana/phone"}, {ANA}),
        ({"keys": ["user/profile/user_ana/phone", "user/profile/user_eve/phone"]}, {ANA, EVE}),
        ({"keys": None, "key": "experience", "person": None, "job": None}, set()),
        ({"key": "world/fact/user_ana/phone"}, set()),
    ],
)
def test_whom_events_name(payload: dict[str, object], persons: set[str]):
    assert persons_in([payload]) == persons
