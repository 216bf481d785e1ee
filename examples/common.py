"""What the examples share: a model to talk to, and a store for the length of a run."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import openai

import mace
from mace.settings import Settings
from mace.testing import serve_chat
from mace.testing.chat import Script

URL = os.environ.get("EXAMPLE_MODEL_URL")  # a server that speaks the OpenAI protocol; without it: a scripted one
MODEL = os.environ.get("EXAMPLE_MODEL", "scripted")

client = openai.OpenAI(
    base_url=URL or "http://127.0.0.1:9/v1", api_key=os.environ.get("EXAMPLE_MODEL_KEY", "none"), max_retries=0
)


@contextmanager
def model(script: Script) -> Iterator[None]:
    """The model that EXAMPLE_MODEL_URL and EXAMPLE_MODEL name, else a scripted one on this machine, over real HTTP."""
    if URL is not None:
        yield
        return
    with serve_chat(script) as server:
        client.base_url = server.url
        yield


@contextmanager
def store(location: str | None) -> Iterator[Settings]:
    """Where the store lies: at the location that was named, else in a folder that goes when the example ends."""
    if location is not None:
        yield mace.settings.read(location)
        return
    with tempfile.TemporaryDirectory(prefix="mace-example-") as folder:
        yield Settings(location=f"{folder}/store", checkpoint_dir=f"{folder}/checkpoints")
