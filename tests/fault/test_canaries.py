"""Canaries: personal values go in through every verb there is, and are then looked for in every file.

Raw, and in the encodings they could lie in.

Values that pass by consent lie sealed, so they may not be found either. Names are no content: seeds, ids of accounts
and of modules are what somebody chose to be called by, and a personal one is refused where the detectors see it.
"""

import base64
import json
import logging
import re
import urllib.parse
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import governed
from mace.core.errors import ServiceUnavailable

pytestmark = [pytest.mark.stage1, pytest.mark.critical]

SSN = "536-22-8145"
PHONE = "415-555-0167"
EMAIL = "canary.bird.77@gmail.com"
CARD = "4539 1488 0343 6467"
IBAN = "DE89 3704 0044 0532 0130 00"
DIAGNOSIS = "I was diagnosed with paranoid schizophrenia"
SECRET = "paranoid schizophrenia"
CANARIES = (SSN, PHONE, EMAIL, CARD, IBAN)
SAID = f"my ssn is {SSN}, phone {PHONE}, mail {EMAIL}, card {CARD}, iban {IBAN}. {DIAGNOSIS}."


def encodings(value: str) -> set[bytes]:
    """The value as it could lie in a file: raw, without separators, and in the usual encodings."""
    forms = {value, re.sub(r"[ .-]", "", value) if "@" not in value else value, re.sub(r"[ .@-]+", "_", value).lower()}
    found: set[bytes] = set()
    for form in forms:
        raw = form.encode()
        found |= {raw, raw.hex().encode(), raw.hex().upper().encode()}
        found |= {form.encode("utf-16-le"), form.encode("utf-16-be")}
        found |= {urllib.parse.quote(form, safe="").encode(), json.dumps(form)[1:-1].encode()}
        for shift in range(3):  # wherever it stands in what was encoded
            encoded = base64.b64encode(b"\x00" * shift + raw).rstrip(b"=")
            inner = encoded[(0, 2, 3)[shift] : -1 - len(raw) % 3]
            found |= {inner, base64.urlsafe_b64encode(b"\x00" * shift + raw).rstrip(b"=")[(0, 2, 3)[shift] : -3]}
    return {form for form in found if len(form) >= 6}


ALL = {form: value for value in (*CANARIES, SECRET) for form in encodings(value)}


def test_the_search_finds_what_it_looks_for():
    """A search that finds nothing proves nothing."""
    for value in CANARIES:
        plain = f"xx {value} yy"
        for held in (
            plain.encode(),
            base64.b64encode(plain.encode()),
            base64.b64encode(b"z" + plain.encode()),
            plain.encode().hex().encode(),
            plain.encode("utf-16"),
            urllib.parse.quote(plain).encode(),
            json.dumps({"a": plain}).encode(),
        ):
            assert any(form in held for form in encodings(value)), (value, held)


def leaks(*folders: Path) -> list[tuple[str, str]]:
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                held = path.read_bytes()
                found += [(path.name, value) for form, value in ALL.items() if form in held]
                if any(form.decode("ascii", "ignore") in path.name for form in ALL if form.isascii()):
                    found.append((path.name, "in a file's name"))
    return found


def tried(verb: Callable[[], Any], texts: list[str], allowed: bool = False) -> Any:
    """Call a verb; whatever it raises, and whatever it answers unless it may, must not repeat a canary."""
    try:
        answer = verb()
    except Exception as error:
        texts.append(f"{error!r} {error} {getattr(error, 'details', '')}")
        return None
    if not allowed:
        texts.append(repr(answer))
    return answer


def test_canaries_are_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    caplog.set_level(logging.DEBUG)
    house = governed.House(tmp_path / "home")
    m = house.m
    texts: list[str] = []
    ask, put = m.ask, m.sem_put

    # Questions, with a user and without, in every phrasing that stores or looks up.
    for text in (SAID, f"my phone is {PHONE}", f"remember my address is {EMAIL}", f"what is {SSN}", f"forget my {CARD}",
                 f"write a poem about {IBAN}", f"integrate {CARD}", DIAGNOSIS):  # fmt: skip
        for user in (None, "bob"):
            heard = tried(lambda text=text, user=user: ask(text, user_id=user), texts)
            if heard and heard["log_id"]:
                texts.append(repr(m.read_reflective_log(heard["log_id"])))
                m.replay(heard["job_id"])
    miss = ask("What is my favorite food?", user_id="bob")["job_id"]
    tried(lambda: ask(f"{SSN} and {PHONE}", user_id="bob", in_reply_to=miss), texts)
    tried(lambda: ask("hello", user_id=EMAIL), texts)

    # Facts: value, nested, names of members, notes, meta, key, alias.
    for value in (SAID, {"a": [SAID]}, {SAID: 1}, [{"card": int(CARD.replace(" ", ""))}]):
        tried(lambda value=value: put("user/profile/user_bob/thing", value, "user", user_id="bob"), texts)
        tried(lambda value=value: put("world/fact/thing/thing", value, "system_admin"), texts)
    tried(lambda: put("user/profile/user_bob/thing", "x", "user", notes=SAID), texts)
    tried(lambda: put("user/profile/user_bob/thing", "x", "user", meta={"m": SAID}), texts)
    tried(lambda: put("user/profile/user_bob/thing", SAID, "agent:rogue"), texts)
    tried(lambda: put("user/profile/user_bob/thing", SAID, "user", idempotency_key="once"), texts)
    tried(lambda: put("user/profile/user_bob/thing", SAID, "user", consent_id="0" * 64), texts)
    tried(lambda: m.sem_add_alias(SAID, "world/fact/thing/thing", "system_admin"), texts)
    tried(lambda: m.sem_resolve_alias(SAID, "bob"), texts)
    tried(lambda: m.key("user", "profile", EMAIL, "thing"), texts)

    # Governance.
    tried(lambda: m.detect_and_handle(SAID, "bob"), texts)
    tried(lambda: m.detect_and_handle({"deep": {"er": SAID}}), texts)
    tried(lambda: m.grant_consent(EMAIL, "yes"), texts)
    tried(lambda: m.grant_consent("bob", f"yes, also {PHONE}", "persistent", expires_at="2027-01-01T00:00:00Z"), texts)
    given = m.grant_consent("bob", "yes, also my phone", "persistent", expires_at="2027-01-01T00:00:00Z")
    consent = given["consent_id"]
    tried(lambda: put("user/profile/user_bob/phone", PHONE, "user", consent_id=consent), texts)
    assert m.sem_get("user/profile/user_bob/phone")["value"] == PHONE
    asked = put("user/profile/user_bob/ssn", SSN, "user", consent_id=consent)
    texts.append(repr(asked))
    m.vote(asked["error"]["meta"]["request_id"], "owner", "approve")
    assert put("user/profile/user_bob/ssn", SSN, "user", consent_id=consent)["success"]
    told = tried(lambda: ask(f"my phone is {PHONE}", user_id="bob", consent_id=consent), texts, allowed=True)
    assert m.replay(told["job_id"])["result"] == "MATCH"
    tried(lambda: m.request_dsr("bob", "export", SSN), texts)
    tried(lambda: m.request_dsr(EMAIL, "export", "code"), texts)
    proof = m.accounts.issue_identity_proof("bob")["proof"]
    exported = tried(lambda: m.request_dsr("bob", "export", proof), texts, allowed=True)
    assert PHONE in repr(exported), "the person hears their own words"
    tried(lambda: m.accounts.create(EMAIL, ["user"]), texts)
    tried(lambda: m.vote(asked["error"]["meta"]["request_id"], EMAIL, "approve"), texts)
    tried(lambda: m.owner(PHONE, totp=SSN), texts)
    tried(lambda: m.on_behalf_of(EMAIL), texts)
    tried(lambda: m.authenticate(SSN, PHONE), texts)
    as_bob = m.acting_as(m.on_behalf_of("bob"))
    for named in (EMAIL, PHONE, SSN):  # what somebody else may not do says nothing of what they gave
        tried(lambda named=named: as_bob.vote("0" * 32, named, "approve"), texts)
        tried(lambda named=named: as_bob.sem_put("user/profile/user_bob/thing", "x", named), texts)
        tried(lambda named=named: as_bob.sem_list("user", named), texts)
        tried(lambda named=named: as_bob.attest(named, named), texts)
        tried(lambda named=named: as_bob.consents(named), texts)
        tried(lambda named=named: as_bob.ask("hello", named), texts)
        tried(lambda named=named: as_bob.read_reflective_log(named), texts)
    tried(lambda: m.incidents.report_violation("rogue", "rule", evidence={"evidence": SAID}), texts)

    # The store goes down in the middle of a write, twice, and comes back.
    write = m._parts.world.store.write

    def down(_unit: Any) -> Any:
        raise ServiceUnavailable("down")

    m._parts.world.store.write = down  # type: ignore[method-assign]
    tried(lambda: put("user/profile/user_bob/thing", SAID, "user"), texts)
    tried(lambda: ask(SAID, user_id="bob"), texts)
    m._parts.world.store.write = write  # type: ignore[method-assign]
    with suppress(Exception):
        m.modules.retry_queued()

    assert m.verify()["ok"]
    texts += [repr(m.events(job["job_id"])) for job in m.jobs.list(limit=1000)["items"]]
    texts.append(repr(m.events("system")))
    texts += [line.decode("utf-8", "replace") for line in m.export()]
    house.close()

    everything = "\n".join(texts)
    assert not [value for value in (*CANARIES, SECRET) if value in everything]
    assert not [form for form in ALL if form in everything.encode()]
    assert not [value for value in (*CANARIES, SECRET) if value in caplog.text]
    assert leaks(tmp_path / "home", temporary) == []
