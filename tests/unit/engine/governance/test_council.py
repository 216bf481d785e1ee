"""Changes of the council itself: where there is one, it decides who sits on it and with which second factor."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core.errors import ApprovalNeeded, InvalidInput, PermissionDenied
from mace.wiring import doors


@pytest.fixture
def seated(tmp_path: Path, place: places.Place) -> Iterator[governed.House]:
    made = governed.House(tmp_path, place=place)
    made.account("root", "admin")
    yield made
    made.close()


def _approve(house: governed.House, request_id: str) -> dict[str, Any]:
    for name in ("ana", "bo", "cy"):
        decided: dict[str, Any] = house.vote(request_id, name)
    assert decided["status"] == "approved"
    return decided


def _asked(call: Callable[[], Any]) -> str:
    with pytest.raises(ApprovalNeeded) as waits:
        call()
    assert waits.value.code == "PRECONDITION_FAILED"
    return str(waits.value.details["request_id"])


def _accounts(house: governed.House) -> dict[str, Any]:
    return {item["name"]: (item["roles"], item["active"]) for item in house.m.accounts.list()}


def test_a_seat_on_the_council_is_decided_by_the_council(seated: governed.House):
    seated.council("ana", "bo", "cy")
    before = _accounts(seated)
    create = _asked(lambda: seated.admin.accounts.create("di", ["council"]))
    assert _asked(lambda: seated.admin.accounts.create("di", ["council"])) == create, "asked for once"
    seated.admin.accounts.create("vi", ["viewer"])
    lift = _asked(lambda: seated.admin.accounts.change("vi", roles=["council"]))
    off = _asked(lambda: seated.admin.accounts.change("ana", active=False))
    assert _accounts(seated) == {**before, "vi": (["viewer"], True)}
    for request_id in (create, lift):
        with pytest.raises(PermissionDenied):
            seated.vote(request_id, "root")
    _approve(seated, create)
    _approve(seated, lift)
    _approve(seated, off)
    after = _accounts(seated)
    assert (after["di"], after["vi"], after["ana"]) == ((["council"], True), (["council"], True), (["council"], False))
    assert seated.m.verify()["ok"]


def test_a_member_s_new_second_factor_is_decided_by_the_council_each_time(seated: governed.House):
    seated.council("ana", "bo", "cy")
    private, public = seated.box.generate()

    def enrol(to: str = public) -> Any:
        return seated.admin.accounts.enrol_second_factor("ana", sealed_to=to)

    asked = _asked(enrol)
    assert seated.m.owner("ana", totp=seated.code("ana")).name == "ana", "the old one counts until then"
    seen = seated.acting("bo").approvals.show(asked)["details"]
    assert (seen["change"], seen["account"], seen["sealed_to"]) == ("second_factor", "ana", public)
    _approve(seated, asked)
    seated.clock.move(seconds=1)
    other = _asked(lambda: enrol(seated.box.generate()[1]))
    assert other != asked, "it was approved for that key alone"
    made = enrol()
    assert (made["secret"], made["uri"]) == ("", ""), "whoever administers accounts does not see it"
    seated.secrets["ana"] = doors.open_second_factor("ana", made["sealed"], private)["secret"]
    assert seated.m.owner("ana", totp=seated.code("ana")).name == "ana"
    assert _asked(enrol) != asked, "an approval counts once"
    assert seated.m.verify()["ok"]


def test_an_admin_is_never_shown_the_secret_of_a_member(seated: governed.House):
    seated.council("ana", "bo", "cy")
    before = len(seated.m.approvals.list())
    with pytest.raises(InvalidInput, match="sealed_to is required"):
        seated.admin.accounts.enrol_second_factor("ana")
    with pytest.raises(InvalidInput, match="public key"):
        seated.admin.accounts.enrol_second_factor("ana", sealed_to="mine")
    assert len(seated.m.approvals.list()) == before
    create = _asked(lambda: seated.admin.accounts.create("di", ["council"]))
    _approve(seated, create)
    with pytest.raises(InvalidInput, match="sealed_to is required"):  # nor that of a new one
        seated.admin.accounts.enrol_second_factor("di")


def test_a_sealed_second_factor_opens_for_its_account_and_key_alone(seated: governed.House):
    private, public = seated.box.generate()
    seated.admin.accounts.create("vi", ["viewer"])
    made = seated.admin.accounts.enrol_second_factor("vi", sealed_to=public)
    opened = doors.open_second_factor("vi", str(made["sealed"]), private)
    assert opened["secret"] and opened["uri"].startswith("otpauth://") and made["secret"] == ""
    for account, sealed, key in (
        ("ana", str(made["sealed"]), private),
        ("vi", str(made["sealed"]), seated.box.generate()[0]),
        ("vi", "AAAA", private),
        ("vi", "no base64!", private),
    ):
        with pytest.raises(InvalidInput):
            doors.open_second_factor(account, sealed, key)


def test_a_member_who_administers_asks_for_their_own(seated: governed.House):
    seated.council("bo", "cy", "di")
    seated.g.accounts.create("ana", ["admin", "council"], "owner")
    seated.secrets["ana"] = seated.g.accounts.enrol("ana", "owner")["secret"]
    asked = _asked(lambda: seated.acting("ana").accounts.enrol_second_factor("ana"))
    for name in ("bo", "cy", "di"):
        seated.vote(asked, name)
    with pytest.raises(InvalidInput, match="sealed_to is required"):
        seated.admin.accounts.enrol_second_factor("ana")  # their approval is not another admin's
    assert seated.acting("ana").accounts.enrol_second_factor("ana")["secret"]


def test_a_council_too_small_to_decide_is_made_by_the_admin(seated: governed.House):
    for name in ("ana", "bo", "cy"):
        seated.account(name, "council")
    assert sorted(_accounts(seated)) == ["ana", "bo", "cy", "root"]
    _asked(lambda: seated.admin.accounts.create("di", ["council"]))


def test_a_rejected_change_changes_nothing(seated: governed.House):
    seated.council("ana", "bo", "cy")
    asked = _asked(lambda: seated.admin.accounts.change("cy", roles=["viewer"]))
    for name in ("ana", "bo", "cy"):
        seated.vote(asked, name, "reject")
    assert _accounts(seated)["cy"] == (["council"], True)
