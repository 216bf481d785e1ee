"""Planted mistakes: mypy --strict and pyright report each marked line, naming the marked word, and no other line.

It is read by the checkers and never run. One mistake per line; the mark says which word the report must hold.
"""

import openai

import mace
from mace.bridges.openai import wrap
from mace.core.answers import ContextRequest, Json

KEY = "user/profile/user_bob/favorite_food"


def names() -> None:
    mace.opne("my-agent")  # wrong: opne
    mace.open(locaton="my-agent")  # wrong: locaton
    try:
        mace.open().close()
    except mace.NotFond:  # wrong: NotFond
        print("nothing there")


def questions(m: mace.Mace) -> None:
    m.ask("What is 2 + 2?", userid="bob")  # wrong: userid
    answer = m.ask("What is 2 + 2?", user_id="bob")
    print(answer["txet"])  # wrong: txet
    print(m.ask("What is 2 + 2?")["txet"])  # wrong: txet
    print(m.raise_for(m.ask("What is 2 + 2?"))["txet"])  # wrong: txet
    print(m.ask("What is 2 + 2?")["answer"].upper())  # wrong: None
    print(m.ask("What is 2 + 2?")["handoff"]["goal"])  # wrong: None
    print(m.ask("What is 2 + 2?")["error"]["error_code"])  # wrong: None
    print(m.ask("What is 2 + 2?")["notices"][0]["code"])  # wrong: code
    print(m.ask("What is 2 + 2?")["evidence"][0]["knid"])  # wrong: knid
    print(m.ask("What is 2 + 2?")["route_trace"][0]["reason"])  # wrong: reason
    m.aks("What is 2 + 2?")  # wrong: aks
    m.replay("job")["reslt"]  # wrong: reslt
    m.replay(7)  # wrong: replay


def facts(m: mace.Mace) -> None:
    m.key("usr", "profile", "Bob", "food")  # wrong: usr
    m.sem_put(KEY, {1, 2}, "user")  # wrong: set[int]
    m.sem_put(KEY, "tea", "user", note="said so")  # wrong: note
    print(m.sem_put(KEY, "tea", "user")["sucess"])  # wrong: sucess
    print(m.sem_get(KEY)["valeu"])  # wrong: valeu
    number: int = m.sem_get(KEY)["value"]  # wrong: int
    first: int = m.sem_list("user")[0]  # wrong: int
    held: Json = object()  # wrong: object
    print(number, first, held)


def context(m: mace.Mace) -> None:
    request: ContextRequest = {"query": "q", "store_paths": [], "bugdet": {"max_excerpt_tokens": 1}}  # wrong: bugdet
    print(m.memory_read(request)["selection"])  # wrong: selection
    m.memory_explain({"query": "q", "store_paths": [], "budget": {"max_tokens": 1}})  # wrong: max_tokens


def experience(m: mace.Mace) -> None:
    m.experience.write({"space": "a", "entity": "b", "content": "c", "state": "sucess"}, "solver")  # wrong: sucess
    m.experience.write({"space": "a", "entity": "b", "state": "success"}, "solver")  # wrong: content
    print(m.experience.query_mk("a", "b")["atention"])  # wrong: atention
    m.experience.dream(dryrun=True)  # wrong: dryrun


def logs(m: mace.Mace) -> None:
    m.amend("log", "owner", {}, "overide_suggestion")  # wrong: overide_suggestion
    print(m.verify()["okay"])  # wrong: okay
    print(m.verify()["findings"][0]["knid"])  # wrong: knid
    print(m.read_reflective_log("log")["final_anwser"])  # wrong: final_anwser


def people(m: mace.Mace, proof: str) -> None:
    m.request_dsr("bob", "erase", proof)  # wrong: erase
    m.grant_consent("bob", "keep it", "forever")  # wrong: forever
    m.detect_and_handle("text", "bob")["state"]  # wrong: state
    m.vote("request", "c1", "aprove")  # wrong: aprove
    m.approvals.vote("request", "aprove")  # wrong: aprove
    m.approvals.vote("request", "approve", totp="123456")  # wrong: totp
    m.approvals.lst()  # wrong: lst


def operators(m: mace.Mace) -> None:
    m.accounts.create("ana", ["amdin"])  # wrong: amdin
    m.accounts.create("ana", ["admin"], actor="owner")  # wrong: actor
    m.accounts.change("ana", active="no")  # wrong: active
    print(m.incidents.list()[0]["acknowledged"]["actor"])  # wrong: None
    print(m.modules.list()[0]["health"])  # wrong: health


def wrapped() -> None:
    wrap(openai.OpenAI(), outside="skip")  # wrong: skip
    wrap(openai.OpenAI()).chat.completions.craete()  # wrong: craete
    wrap("client")  # wrong: wrap


def somebody_else(m: mace.Mace) -> None:
    m.acting_as("ana")  # wrong: acting_as
    m.authenticate()  # wrong: token
    print(m.on_behalf_of("ana").nmae)  # wrong: nmae
