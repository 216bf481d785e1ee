"""The page about writing an agent: its code is run, and what it says of it is so."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers
from mace.agent import EFFECT_KINDS
from mace.agents.directory import AGENTS
from replay import odd_agents

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")


@pytest.fixture
def page(tmp_path: Path) -> dict[str, Any]:
    """What the page's code leaves behind when it is run, its store moved here; it has assertions of its own."""
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {"__name__": "docs_agents"}
    code = code.replace('mace.open("my-agent"', f"mace.open({str(tmp_path / 'my-agent')!r}")
    exec(compile(code, "docs/agents.md", "exec"), names)
    assert (tmp_path / "my-agent" / "mace.db").exists()
    return names


def test_the_complete_agent_runs(page: dict[str, Any]):
    assert page["answer"]["confidence"] >= 0.5
    assert [item["kind"] for item in page["answer"]["evidence"]] == ["fact"]


def test_and_with_a_language_engine(page: dict[str, Any], mace_home: places.SqlitePlace):
    with OpenAiServer(answers("Suggest a trip to Braga, which is near Porto.")) as server:
        mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
        with mace_home.open(agents={"generic_agent": page["travel_agent"]}) as mace:
            mace.ask("Save Porto as my city", user_id="ana")
            answer = mace.ask("Suggest me a trip", user_id="ana")
            assert answer["answer"] == "Suggest a trip to Braga, which is near Porto."
            assert mace.replay(answer["job_id"])["result"] == "MATCH"
            assert mace.ask("Blorp the quux", user_id="ana")["error"]["error_code"] == "ROUTER_NO_MATCH"


def test_the_page_names_every_agent_and_every_effect():
    assert [name for name in AGENTS if f"`{name}`" not in PAGE] == []
    assert [kind for kind in EFFECT_KINDS if f"`{kind}(" not in PAGE] == []


def test_a_reply_without_evidence_costs_four_calls(mace_home: places.SqlitePlace):
    """As the page says, so that nobody finds out by the bill."""
    with OpenAiServer(answers("The moon is made of green cheese.")) as server:
        mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
        with mace_home.open(agents={"generic_agent": odd_agents.hesitates}) as mace:
            answer = mace.ask("Blorp the quux")
            invoked = mace.read_reflective_log(answer["log_id"])["agents_invoked"]
        assert answer["error"]["error_code"] == "REPAIR_LIMIT_EXCEEDED"
        assert (invoked.count("generic_agent"), len(server.requests)) == (4, 4)
