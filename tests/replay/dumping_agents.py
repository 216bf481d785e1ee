"""Agents that put every result of every effect into their text, as they were sent it: a replay shows any difference."""

import json
from collections.abc import Generator

from mace.agent import (
    Decline,
    Effect,
    Evidence,
    Reply,
    Result,
    Task,
    complete,
    compute,
    find_profile,
    list_profile,
    read_context,
    read_fact,
    read_knowledge,
    read_profile,
    recall,
    request_deletion,
    write_fact,
    write_profile,
)
from mace.agents import mathematics
from mace.agents.asking import find_knowledge, judge

Steps = Generator[Effect, Result, Reply | Decline]
LAW = "world/fact/ohms_law/definition"


def effects(user_id: str) -> list[Effect]:
    """One of every kind, and of every kind that can fail one that does."""
    return [
        write_profile("favourite colour", "favorite_color", "teal", user_id),
        read_profile("favourite colour", "favorite_color", user_id),
        write_fact("user/profile/user_ana/pets", {"zebra": 1.0, "cat": [2.5, None], "ä": True}, user_id),
        read_fact("user/profile/user_ana/pets"),
        read_fact("user/profile/user_ana/nothing"),
        read_fact("no key at all"),
        read_knowledge("Ohm's law", "definition"),
        find_knowledge(["Ohm's law"]),
        read_context("Which law is Ohm's?"),
        find_profile("fav colour", "favorite_color", ("favorite_color",), (), user_id),
        find_profile("shoes", "shoe_size", ("shoe_size",), ("size",), user_id),
        list_profile(user_id),
        compute(mathematics.WORKER_FUNCTION, mathematics.worker_arguments("Integrate x^2 dx")),
        complete("Answer.", "Which law?", 8),
        judge("Judge.", "Which law?", 8),
        recall("Which colour do I like?", 200),
        recall("Which colour do I like?", 200, "somebody else's"),
        request_deletion("favourite colour", "favorite_color", user_id),
        write_fact("mace/config/router/enable_math", False, user_id),
        Effect("read_minds", {"of": "everybody"}),
        Effect("write_minds", {"of": "everybody"}, writes=True),
    ]


def dumps_everything(task: Task) -> Steps:
    told = []
    for effect in effects(str(task.user_id)):
        result = yield effect
        told.append(f"{effect.kind}: {result.failed} {json.dumps(result.value, ensure_ascii=False)}")
    text = "\n".join(told)
    return Reply(text=text, evidence=(Evidence(kind="operation", ref="dump", text=text),))
