"""The receipt of a deletion: what is gone, what stays and why; checked by anybody with the public key alone."""

import json
from pathlib import Path
from typing import Any

import pytest

import governed
import mace
from mace.core.errors import InvalidInput
from mace.interfaces.cli import main

pytestmark = pytest.mark.stage1
KEY = "user/profile/user_bob/city"


@pytest.fixture
def papers(tmp_path: Path) -> tuple[dict[str, Any], str]:
    """How a finished deletion is shown, and the public key of its log."""
    house = governed.House(tmp_path / "house")
    house.m.sem_put(KEY, "gdynia", "user")
    house.m.ask("what is my city", user_id="bob")
    asked = house.m.request_dsr("bob", "delete", house.m.accounts.issue_identity_proof("bob")["proof"])
    house.m.vote(str(asked["request_id"]), "owner", "approve")
    shown, key = house.m.dsr(str(asked["dsr_id"])), house.m.public_key()
    house.close()
    return dict(shown), key if isinstance(key, str) else key["verifier_key"]


def test_a_receipt_says_what_is_gone_and_what_stays(papers: tuple[dict[str, Any], str]):
    receipt = papers[0]["receipt"]
    assert receipt["gone"] == [{"what": "facts", "count": 1}, {"what": "jobs", "count": 1}]
    assert [item["what"] for item in receipt["stays"]] == [
        "ledger",
        "names",
        "hashes",
        "papers",
        "free_text",
        "old_bytes",
        "copies",
    ]
    assert all(item["why"] for item in receipt["stays"])
    assert "gdynia" not in json.dumps(papers[0])


def test_anybody_can_check_it(papers: tuple[dict[str, Any], str]):
    shown, key = papers
    receipt, manifest = shown["receipt"], shown["manifest"]
    assert mace.check_receipt(receipt, key)["ok"]
    assert mace.check_receipt(receipt, key, manifest) == {
        "ok": True,
        "because": "the log signed this receipt, about this manifest",
        "receipt": receipt,
    }
    for changed in (
        {**receipt, "stays": []},
        {**receipt, "gone": []},
        {**receipt, "at": "2020-01-01T00:00:00Z"},
        {**receipt, "format": "mace-deletion-receipt/1"},
        {**receipt, "signature": "00" * 64},
        {**receipt, "signature": "no hex"},
    ):
        verdict = mace.check_receipt(changed, key, manifest)
        assert (verdict["ok"], verdict["receipt"]) == (False, None)
    assert not mace.check_receipt(receipt, key, {**manifest, "person": "user_eve"})["ok"]
    assert not mace.check_receipt({**receipt, "log_name": "00" * 32}, key)["ok"]
    for nothing in ({}, {"format": "another"}, [1]):
        with pytest.raises(InvalidInput):
            mace.check_receipt(nothing, key)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        mace.check_receipt(receipt, "no key")


def test_the_command_checks_a_receipt_without_a_store(
    papers: tuple[dict[str, Any], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shown, key = papers
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MACE_LOCATION", str(tmp_path / "nowhere"))
    (tmp_path / "log.pub").write_text(key)
    (tmp_path / "shown.json").write_text(json.dumps(shown))
    (tmp_path / "receipt.json").write_text(json.dumps(shown["receipt"]))
    (tmp_path / "forged.json").write_text(json.dumps({**shown["receipt"], "gone": []}))
    for name, code in (("shown", 0), ("receipt", 0), ("forged", 1)):
        words = ["dsr", "verify-receipt", str(tmp_path / f"{name}.json"), "--public-key", str(tmp_path / "log.pub")]
        assert main(words) == code
    assert not (tmp_path / "nowhere").exists()


@pytest.fixture
def corrected(tmp_path: Path) -> tuple[dict[str, Any], str]:
    """How a finished rectification is shown, and the public key of its log."""
    house = governed.House(tmp_path / "house")
    house.m.sem_put(KEY, "gdynia", "user")
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    asked = house.m.request_dsr("bob", "rectify", proof, changes={KEY: "sopot"})
    house.m.vote(str(asked["request_id"]), "owner", "approve")
    shown, key = house.m.dsr(str(asked["dsr_id"])), house.m.public_key()
    house.close()
    return dict(shown), key if isinstance(key, str) else key["verifier_key"]


def test_anybody_can_check_the_receipt_of_a_rectification(
    corrected: tuple[dict[str, Any], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shown, key = corrected
    receipt, manifest = shown["receipt"], shown["rectification"]
    assert mace.check_receipt(receipt, key)["ok"]
    assert mace.check_receipt(receipt, key, manifest)["ok"]
    forged = {**manifest, "corrected": []}
    assert not mace.check_receipt(receipt, key, forged)["ok"]
    for changed in (
        {**receipt, "at": "2020-01-01T00:00:00Z"},
        {**receipt, "format": "mace-deletion-receipt/2"},
        {**receipt, "signature": "00" * 64},
    ):
        assert not mace.check_receipt(changed, key, manifest)["ok"]
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "log.pub").write_text(key)
    for name, held, code in (
        ("shown", shown, 0),
        ("receipt", receipt, 0),
        ("forged", {**shown, "rectification": forged}, 1),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(held))
        words = ["dsr", "verify-receipt", str(tmp_path / f"{name}.json"), "--public-key", str(tmp_path / "log.pub")]
        assert main(words) == code


def test_a_request_says_when_its_keys_were_purged(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    house = governed.House(tmp_path / "house")
    governed.with_forensic_key(house.m)
    house.m.sem_put(KEY, "gdynia", "user")
    governed.erase(house.m, "bob")
    dsr_id = house.m.forensics.entries()[0]["about"]
    assert house.m.dsr(dsr_id)["purged_at"] is None
    house.m.vote(house.m.forensics.request_purge(dsr_id)["request_id"], "owner", "approve")
    purged_at = house.m.dsr(dsr_id)["purged_at"]
    assert purged_at is not None
    house.close()
    assert main(["-C", str(house.place.folder), "dsr", "show", dsr_id]) == 0
    said = capsys.readouterr().out
    assert "with the forensic key" not in said
    assert f"destroyed at {purged_at}" in " ".join(said.split())
