"""A second node of a store in PostgreSQL joins with one command, and with nothing else."""

from pathlib import Path

import pytest

import governed
import places
import services
from mace.core import canon
from mace.core.errors import Conflict, InvalidInput, MaceError, PreconditionFailed
from mace.providers import invitations
from mace.providers.system import SystemEntropy
from mace.wiring import joining

WORDS = "correct horse battery staple"


@pytest.fixture
def first(tmp_path: Path, databases: services.Databases) -> places.PostgresPlace:
    made = places.PostgresPlace(tmp_path / "one", databases)
    with made.open() as mace:
        mace.accounts.create("ana", ["user"])
        mace.rotate_key()
    return made


@pytest.fixture
def second(first: places.PostgresPlace, tmp_path: Path, databases: services.Databases) -> places.PostgresPlace:
    return places.PostgresPlace(tmp_path / "two", databases, url=first.settings.location)


def test_two_nodes_write_into_one_log(first: places.PostgresPlace, second: places.PostgresPlace):
    invitation = joining.invite(first.settings, WORDS, "owner")
    joined = joining.join(second.settings, invitation, WORDS)
    assert joining.join(second.settings, invitation, WORDS) == joined  # again does nothing
    assert oct((second.folder / "keys.json").stat().st_mode & 0o777) == "0o600"
    with first.open() as here, second.open() as there:
        assert joined["log_name"] == here.describe()["log_name"]
        assert [item["name"] for item in there.accounts.list()] == ["ana"]
        there.accounts.create("bo", ["user"])
        there.rotate_key()
        here.accounts.create("cy", ["user"])
        assert here.verify()["ok"]
        assert there.verify()["ok"]
        events = [event for event in here.events("system") if event["event_type"] == "admin_access_event"]
        assert [event["payload"]["purpose"] for event in events] == ["invite a node"]


def test_an_invitation_shows_no_key_and_opens_with_its_passphrase_only(
    first: places.PostgresPlace, second: places.PostgresPlace
):
    invitation = joining.invite(first.settings, WORDS, "owner")
    keys = (first.folder / "keys.json").read_bytes()
    assert not any(part in invitation for part in (keys, keys[40:80], WORDS.encode()))
    spoiled = invitation[:-8] + b"00000000"[: 8 - 2] + invitation[-2:]
    for given, words in ((invitation, WORDS + "!"), (spoiled, WORDS), (b"{}", WORDS), (b"", WORDS)):
        with pytest.raises(InvalidInput):
            joining.join(second.settings, given, words)
    assert not (second.folder / "keys.json").exists()
    with pytest.raises(InvalidInput, match="at least 12 characters"):
        joining.invite(first.settings, "short", "owner")


def test_keys_of_another_store_are_not_left_behind(
    first: places.PostgresPlace, tmp_path: Path, databases: services.Databases
):
    invitation = joining.invite(first.settings, WORDS, "owner")
    other = places.PostgresPlace(tmp_path / "other", databases)
    with pytest.raises(MaceError):
        joining.join(other.settings, invitation, WORDS)
    assert not (other.folder / "keys.json").exists()
    other.open().close()
    before = (other.folder / "keys.json").read_bytes()
    with pytest.raises(Conflict, match="keys of another store"):
        joining.join(other.settings, invitation, WORDS)
    assert (other.folder / "keys.json").read_bytes() == before


def test_a_directory_has_no_second_node(mace_home: places.SqlitePlace):
    mace_home.open().close()
    with pytest.raises(PreconditionFailed, match="PostgreSQL"):
        joining.invite(mace_home.settings, WORDS, "owner")
    with pytest.raises(PreconditionFailed, match="PostgreSQL"):
        joining.join(mace_home.settings, invitations.seal(b"{}", WORDS, SystemEntropy()), WORDS)


def test_the_command(first: places.PostgresPlace, second: places.PostgresPlace, tmp_path: Path):
    from click.testing import CliRunner

    from mace.interfaces.cli.app import COMMANDS
    from mace.interfaces.cli.join import join
    from mace.interfaces.cli.session import Session

    assert COMMANDS["join"][0] == "mace.interfaces.cli.join:join"
    file, words = tmp_path / "invitation.json", tmp_path / "words"
    words.write_text(WORDS + "\n")
    for place, arguments in ((first, ["--invite"]), (second, [])):
        session = Session(_settings=place.settings)
        done = CliRunner().invoke(join, [str(file), *arguments, "--passphrase-file", str(words)], obj=session)
        assert done.exit_code == 0, done.output
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    with second.open() as mace:
        assert mace.verify()["ok"]


def test_a_master_key_that_was_rotated_on_one_node_comes_to_the_other_by_an_invitation(
    first: places.PostgresPlace, second: places.PostgresPlace
):
    food = "user/profile/user_bob/food"
    older = joining.invite(first.settings, WORDS, "owner")
    joining.join(second.settings, older, WORDS)
    with first.open() as here:
        assert here.sem_put(food, "soup", "user", user_id="bob")["success"]
    with second.open() as there:
        assert there.sem_get(food)["value"] == "soup"
        with first.open() as here:
            governed.owned(here).rotate_master_key()
            assert here.sem_get(food)["value"] == "soup"
        new = there.sem_put("user/profile/user_eve/food", "fish", "user", user_id="eve")
        assert new["error_code"] == "INTEGRITY_FAILURE", "it never wraps by a master key that was retired"
    with second.open() as there:
        assert there.sem_get(food)["error_code"] == "INTEGRITY_FAILURE"
    with pytest.raises(PreconditionFailed, match="before the master key was rotated"):
        joining.join(second.settings, _with_another_master(older), WORDS)
    joining.join(second.settings, joining.invite(first.settings, WORDS, "owner"), WORDS)
    with second.open() as there:
        assert there.sem_get(food)["value"] == "soup"
        assert there.sem_put("user/profile/user_eve/food", "fish", "user", user_id="eve")["success"]
        assert there.verify()["ok"]
    with first.open() as here:
        assert here.sem_get("user/profile/user_eve/food")["value"] == "fish"


def _with_another_master(invitation: bytes) -> bytes:
    keys = canon.loads(invitations.unseal(invitation, WORDS))
    return invitations.seal(canon.dumps({**keys, "master": "ab" * 32}), WORDS, SystemEntropy())
