"""Answers about what went wrong, and where several decide: they are what their types say, too."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from answering import Broken, Stage
from mace.agents.asking import Reply
from mace.core import answers as a
from mace.providers.frozen import FrozenClock
from mace.providers.models.port import ModelAnswer, ModelDown, ModelRequest
from mace.providers.second_factor import Totp
from typed import conforms

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.breaks_its_store
@pytest.mark.parametrize(
    ("statements", "result"),
    [
        (["update records set signature = 'k1:00' where kind = 'snapshot'"], "INTEGRITY_FAILURE"),
        (["delete from records where kind = 'snapshot'"], "MISSING_SNAPSHOT"),
        (["delete from vault_blobs where ref like 'input/%'"], "MISSING_PERSISTED_AGENT_OUTPUT"),
        (["delete from events where event_type = 'JOB_CLOSED'"], "INTEGRITY_FAILURE"),
        (["delete from events where event_type = 'AGENT_INVOKED'"], "INTEGRITY_FAILURE"),
    ],
)
def test_answers_about_a_broken_log(tmp_path: Path, statements: list[str], result: str) -> None:
    broken = Broken(tmp_path, FrozenClock(AT), *statements)
    try:
        m = broken.m
        replayed = m.replay(broken.job)
        assert (replayed["result"], conforms(replayed, a.ReplayAnswer)) == (result, [])
        with broken.store_down():
            assert conforms(m.verify(), a.VerifyReport) == []
        found = m.verify()
        assert conforms(found, a.VerifyReport) == []
        assert conforms(m.verify(read_only=True), a.VerifyReport) == []
        assert conforms(m.incidents.list(), list[a.IncidentView]) == []
        for finding in found["findings"]:
            assert conforms(m.quarantine_read(finding["finding_id"]), a.QuarantineEntry) == []
        if found["findings"]:
            assert conforms(m.attest("owner", "I looked and know what happened."), a.Attestation) == []
            assert conforms(m.verify(), a.VerifyReport) == []
        assert conforms(m.replay(broken.job), a.ReplayAnswer) == []
    finally:
        broken.close()


def test_answers_where_a_council_decides(tmp_path: Path) -> None:
    s = Stage(tmp_path, FrozenClock(AT))
    try:
        members = [s.account("council") for _ in range(3)]
        secrets = {name: s.m.accounts.enrol_second_factor(name)["secret"] for name in members}
        waiting = s.m.lift_replay_halt(s.incident(jobs=[s.job()]), "owner")
        assert (waiting["approval"], conforms(waiting, a.LiftHaltAnswer)) == ("open", [])
        for name in members:
            s.clock.move(seconds=30)
            code = Totp().code_at(secrets[name], s.clock.at)
            voted = s.m.vote(waiting["request_id"], name, "approve", code)
            assert conforms(voted, a.VoteAnswer) == []
        assert not voted["result"]["incident"]["halting"]
    finally:
        s.close()


@pytest.mark.breaks_its_store
def test_a_replay_that_decides_otherwise_shows_where(tmp_path: Path) -> None:
    broken = Broken(tmp_path, FrozenClock(AT), agents={"profile_agent": lambda task: Reply(text="coffee")})
    try:
        replayed = broken.m.replay(broken.job)
        assert (replayed["result"], conforms(replayed, a.ReplayAnswer)) == ("REPLAY_DIVERGENCE", [])
    finally:
        broken.close()


def test_a_dream_without_words_says_so(tmp_path: Path) -> None:
    s = Stage(tmp_path, FrozenClock(AT), language=_Down())
    try:
        s.lived()
        report = s.m.experience.dream()
        assert report["failed"]
        assert conforms(report, a.DreamReport) == []
    finally:
        s.close()


class _Down:
    """A language engine that nobody reaches."""

    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        raise ModelDown([], "missing")
