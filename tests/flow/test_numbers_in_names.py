"""Keys, tags and seeds lie unencrypted on the ledger: a number in one is refused or hashed, however it is spelled."""

from pathlib import Path

import pytest

import canaries
import governed
from mace.core import seeds
from mace.core.errors import InvalidInput
from mace.engine.facts import verbs
from mace.engine.kernel import cleaning

pytestmark = pytest.mark.stage1
KEY = "user/profile/user_ana/phone_2125551200"
MEGRAM = {"space": "tool:shell", "entity": "path:/home/212-555-1200/x", "state": "accept", "content": "it ran"}


@pytest.fixture
def house(tmp_path: Path) -> governed.House:
    return governed.House(tmp_path)


@pytest.mark.parametrize(
    "key", [KEY, "user/profile/user_ana/phone_212_555_1200", "user/profile/user_ana/x_412_33_4001"]
)
def test_a_key_with_a_number_in_it_is_refused_and_stands_nowhere(house: governed.House, key: str):
    answer = house.m.sem_put(key, "tea", "user", job_seed="s")
    assert (answer["success"], answer["error_code"]) == (False, "PRIVACY_BLOCKED")
    assert key not in repr([event["payload"] for event in house.m.events(seeds.job_id("s"))])
    house.close()
    assert canaries.in_files(house.place.folder, [key.rpartition("/")[2]]) == []


def test_a_seed_with_a_number_in_it_is_refused(house: governed.House):
    for seed in ("phone_2125551200", "phone/2125551200", "phone_212_555_1200"):
        with pytest.raises(InvalidInput, match="job_seed"):
            house.m.sem_put("user/profile/user_ana/city", "Gdynia", "user", job_seed=seed)
    house.close()


def test_a_path_with_a_number_in_it_is_hashed_and_found_again(house: governed.House):
    assert house.m.experience.write(dict(MEGRAM), "solver")["success"]
    [found] = house.m.experience.query_recent("tool:shell", MEGRAM["entity"])
    assert found["entity"].startswith("path:x-")
    house.close()
    assert canaries.in_files(house.place.folder, ["212-555-1200"]) == []


def test_a_key_that_an_older_version_let_in_can_be_read_and_deleted(
    house: governed.House, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(cleaning, "is_hidden_in", lambda _text: False)
        verbs._is_personal_key.cache_clear()
        assert house.m.sem_put(KEY, "tea", "user")["success"]
    verbs._is_personal_key.cache_clear()
    assert house.m.sem_get(KEY)["value"] == "tea"
    assert len(house.m.sem_history(KEY)) == 1
    assert house.m.sem_put(KEY, "coffee", "user")["error_code"] == "PRIVACY_BLOCKED"
    assert house.m.sem_delete(KEY, "system_admin")["success"]
    assert not house.m.sem_get(KEY)["exists"]
    assert house.m.verify()["ok"]
    house.close()
