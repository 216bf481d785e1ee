"""What verification found is on the record because an event says so: a row in its place neither hides nor makes it."""

import pytest

import places

pytestmark = pytest.mark.breaks_its_store

JUNK = [b"{}", b"", b'{"finding":{},"quarantine_id":"x","what":"finding"}', b"\xff\x00"]


def change_an_amendment(place: places.Place) -> None:
    with place.sql() as sql:
        key = sql("select min(record_key) from records where kind = 'sealed_amendment'")[0]
        sql("update records set body = ? where kind = 'sealed_amendment' and record_key = ?", (b'{"lie":1}', *key))


@pytest.mark.parametrize("body", JUNK)
def test_a_row_that_waits_under_the_id_of_a_finding_does_not_hide_it(built: places.Place, body: bytes):
    change_an_amendment(built)
    with built.open(read_only=True) as mace:
        expected = {item["finding_id"] for item in mace.verify()["findings"]}
    assert expected
    with built.sql() as sql:
        for finding_id in expected:
            sql(
                "insert into records (kind, record_key, parent, body, signature) values ('quarantine', ?, '', ?, ?)",
                (finding_id, body, "k1.record:" + "00" * 32),
            )
    with built.open() as mace:
        first = mace.verify()
        found = {item["finding_id"] for item in first["findings"]}
        assert expected < found  # and the junk
        failures = [event for event in mace.events("system") if event["event_type"] == "INTEGRITY_FAILURE"]
        assert {event["payload"]["finding_id"] for event in failures} >= expected
        (incident,) = [item for item in mace.incidents.list() if item["incident_id"] == first["incident_id"]]
        assert set(incident["about"]) >= expected
        assert incident["halting"]
        second = mace.verify()  # what was kept as evidence has no row that names it, for the junk stands in its place
        more = [item for item in second["findings"] if item["finding_id"] not in found]
        assert {(item["kind"], item["where"].get("ref")) for item in more} == {
            ("ROW_UNNAMED", f"quarantine/{finding_id}") for finding_id in expected
        }
        size = mace.describe()["events"]
        third = mace.verify()
        assert third["findings"] == second["findings"]
        assert third["incident_id"] == first["incident_id"]
        assert mace.describe()["events"] == size  # verifying twice is verifying once
        mace.attest("owner", "junk in the place of findings")
        assert mace.verify()["ok"]


def test_a_finding_whose_event_was_changed_is_recorded_again(built: places.Place):
    change_an_amendment(built)
    with built.open() as mace:
        first = mace.verify()
    finding_id = first["findings"][0]["finding_id"]
    with built.sql() as sql:
        sql("update events set body = ? where event_type = 'INTEGRITY_FAILURE'", (b"{}",))
    with built.open() as mace:
        mace.verify()
        said = [event["payload"] for event in mace.events("system") if event.get("event_type") == "INTEGRITY_FAILURE"]
        assert finding_id in {payload["finding_id"] for payload in said}
        size = mace.describe()["events"]
        mace.verify()
        assert mace.describe()["events"] == size
