"""What lies sealed beside the ledger: which parts events, records and logs imply, by name.

Pure. A part is named by its `ref`; it lies under a key that can be taken away, and opens only under its own name. Where
an event or a record has a hash of it, the part must have that hash. The others (consent words, secrets of second
factors, evidence in quarantine, queued writes) are proved by opening: who put something else there had the key.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from mace.core import canon


class Hashed(Enum):
    """How a part was hashed."""

    KEYED = "keyed"  # under the key that seals it
    PLAIN = "plain"  # SHA-256 of what is sealed
    NOT = "not"  # nothing says its hash: it opens under its name, or it is not it


@dataclass(frozen=True, slots=True)
class Part:
    """A sealed part that must be there; `key_ref` is empty where only the part itself says its key."""

    ref: str
    key_ref: str
    digest: str = ""
    hashed: Hashed = Hashed.NOT


# By type of event and the member that has the hash: the sealed part. `#` is the number of the part among those of its
# kind in the job, counted from 0 or from 1; `effect` is the number that the event gives itself.
OF_EVENTS: dict[tuple[str, str], tuple[str, int]] = {
    ("AGENT_ERROR", "stacktrace_hash"): ("stacktrace/#", 0),
    ("AGENT_OUTPUT", "output_hash"): ("output/#", 0),
    ("COUNCIL_VERDICT", "verdict_hash"): ("verdict/#", 1),
    ("EFFECT_DONE", "result_hash"): ("effect/{effect}", 0),
    ("EFFECT_DONE", "stacktrace_hash"): ("effect/{effect}/stacktrace", 0),
    ("EFFECT_STARTED", "sent_hash"): ("request/{effect}", 0),
    ("INPUT_RECEIVED", "input_hash"): ("input", 0),
    ("JOB_CLOSED", "result_hash"): ("result", 0),
}
EVENT_TYPES = frozenset({*(event_type for event_type, _ in OF_EVENTS), "PERSON_ANSWERED"})
_BY_TYPE: dict[str, list[tuple[str, str, int]]] = {
    event_type: [(member, *OF_EVENTS[kind, member]) for kind, member in OF_EVENTS if kind == event_type]
    for event_type in EVENT_TYPES
}


class PartsOfStream:
    """The parts of one job, event by event in their order."""

    def __init__(self, stream: str, root: str = "") -> None:
        self.stream = stream
        self.key_ref = f"job/{root or stream}"  # one key for the whole tree of a job
        self._counts: dict[str, int] = {}

    def feed(self, event_type: str, payload: Mapping[str, Any]) -> Iterator[tuple[str, Part]]:
        """The parts that an event implies, each with its name in the job."""
        for member, pattern, first in _BY_TYPE.get(event_type, ()):
            digest = payload.get(member)
            if not isinstance(digest, str):
                continue
            name = pattern
            if "#" in pattern:
                number = self._counts.get(pattern, first)
                self._counts[pattern] = number + 1
                name = pattern.replace("#", str(number))
            yield self._part(name.format_map(payload), digest)
        if event_type == "PERSON_ANSWERED" and isinstance(payload.get("value_hash"), str):
            ref = f"said/{self.stream}"  # in the stream of whoever answered, under the key of the job that asked
            yield "said", Part(ref, f"job/{payload['job_id']}", payload["value_hash"], Hashed.KEYED)
        if event_type == "JOB_CLOSED" and isinstance(payload.get("kept"), dict):
            for name, digest in payload["kept"].items():
                yield self._part(name, str(digest))

    def _part(self, name: str, digest: str) -> tuple[str, Part]:
        return name, Part(f"{name}/{self.stream}", self.key_ref, digest, Hashed.KEYED)


def of_stream(stream: str, events: Iterable[tuple[str, bytes]], root: str = "") -> dict[str, Part]:
    """Every part of a job by its name, from the type and the body of each of its events."""
    parts = PartsOfStream(stream, root)
    return {
        name: part
        for event_type, body in events
        if event_type in EVENT_TYPES
        for name, part in parts.feed(event_type, canon.loads(body)["payload"])
    }


def of_record(kind: str, key: str, content: Mapping[str, Any]) -> Part | None:
    """The part that lies beside a signed record."""
    match kind:
        case "consent":
            return Part(f"consent/{key}", f"consent/{key}")
        case "dsr_request" if content.get("kind") in ("export", "rectify"):
            return Part(f"export/{key}", f"export/{key}", content["package_hash"], Hashed.KEYED)
        case "forensic_entry":
            return Part(f"forensic/{key}", f"forensic/{key}", content["sealed_sha256"], Hashed.PLAIN)
        case "quarantine" if content.get("blob"):
            return Part(content["blob"], "")
        case "second_factor" if content.get("blob"):
            return Part(content["blob"], f"system/{content['blob']}")
        case "spilled" if content.get("event_type") == "WRITE_QUEUED" and "dropped" not in content:
            return Part(f"queued/{key}", f"fact/{content['key']}")
    return None


def of_log(outputs: Iterable[Any]) -> dict[str, Part]:
    """The artifacts that the agents' outputs of a reflective log name, by their `ref`."""
    found = {}
    for output in outputs:
        url = output.get("artifact_url") if isinstance(output, dict) else None
        if isinstance(url, str) and url.startswith("mace:artifact/"):
            ref = url.removeprefix("mace:")
            _, stream, digest = ref.split("/")
            found[ref] = Part(ref, f"job/{stream}", digest, Hashed.PLAIN)
    return found
