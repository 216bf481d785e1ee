"""The scripted chat server, asked by a real OpenAI client over real HTTP."""

import threading
from collections.abc import Iterator

import openai
import pytest

from mace.testing import ChatReply, ChatRequest, ChatServer, ToolCall, serve_chat


def client_of(server: ChatServer) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.url, api_key="any", max_retries=0)


def say(client: openai.OpenAI, text: str) -> openai.types.chat.ChatCompletion:
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])


@pytest.fixture
def server() -> Iterator[ChatServer]:
    tools = [ToolCall("find", {"number": 7}), ToolCall("open", {}, id="mine")]
    slow = ChatReply(status=429, error="slow down")
    with serve_chat(["Hello.", ChatReply(tool_calls=tools), slow, "After all."]) as running:
        yield running


def test_replies_come_in_order_and_the_requests_are_kept(server: ChatServer) -> None:
    client = client_of(server)
    first = say(client, "Hi")
    assert (first.choices[0].message.content, first.choices[0].finish_reason) == ("Hello.", "stop")
    assert first.usage is not None
    assert (first.usage.prompt_tokens, first.usage.completion_tokens, first.usage.total_tokens) == (9, 11, 20)
    calls = say(client, "Where is 7?").choices[0].message.tool_calls
    assert calls is not None
    assert [(call.id, call.type == "function" and call.function.name) for call in calls] == [
        ("call_1", "find"),
        ("mine", "open"),
    ]
    assert calls[0].type == "function" and calls[0].function.arguments == '{"number": 7}'
    with pytest.raises(openai.RateLimitError, match="slow down"):
        say(client, "And now?")
    assert say(client, "Please.").choices[0].message.content == "After all."
    assert [seen.last for seen in server.requests] == ["Hi", "Where is 7?", "And now?", "Please."]
    assert server.requests[0].headers["authorization"] == "Bearer any"


def test_a_script_that_is_too_short_is_an_error_that_says_so() -> None:
    said = "no scripted reply is left for request 1"
    with serve_chat([]) as server, pytest.raises(openai.BadRequestError, match=said):
        say(client_of(server), "Hi")


def test_it_does_not_stream_and_has_no_other_path(server: ChatServer) -> None:
    client = client_of(server)
    with pytest.raises(openai.BadRequestError, match="does not stream"):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}], stream=True)
    with pytest.raises(openai.NotFoundError, match="embeddings"):
        client.embeddings.create(model="m", input="Hi")


def test_a_function_answers_requests_in_parallel() -> None:
    together = threading.Barrier(4)

    def script(request: ChatRequest) -> str:
        together.wait(30)  # broken, and so an error, unless all four are here at once
        return request.last.upper()

    said: dict[str, str | None] = {}
    with serve_chat(script) as server:
        client = client_of(server)

        def ask(text: str) -> None:
            said[text] = say(client, text).choices[0].message.content

        threads = [threading.Thread(target=ask, args=(text,)) for text in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert said == {"a": "A", "b": "B", "c": "C", "d": "D"}


def test_a_delay_is_longer_than_an_impatient_client_waits() -> None:
    with serve_chat([ChatReply("late", after_s=60)]) as server, pytest.raises(openai.APITimeoutError):
        say(client_of(server).with_options(timeout=0.2), "Hi")
