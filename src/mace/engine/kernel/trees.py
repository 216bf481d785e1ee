"""A job and its branches as one: interrupted, taken up, cancelled and given up together, in one unit.

Whatever is not over of a tree gets the same event in each of its streams. From then on nobody who had the job before
can append to them: rows are keyed by stream and index.
"""

from typing import Any

from mace.core.events import Origin
from mace.engine.kernel.recorder import Recorder
from mace.ledger.jobs import DURABLE, OPEN, JobTold
from mace.storage.ports import JobRow, Tx


def streams(tx: Tx, root: str) -> list[str]:
    """The streams of a job and of its branches, the job's own first."""
    return [root, *(row.stream for row in tx.jobs.tree(root))]


def open_streams(tx: Tx, recorder: Recorder, root: str) -> list[JobTold]:
    """Those of them that are not over, as their events tell it."""
    told = (recorder.jobs.told(tx, stream) for stream in streams(tx, root))
    return [job for job in told if job is not None and recorder.jobs.status(tx, job) in OPEN]


def _say(tx: Tx, recorder: Recorder, root: str, event_type: str, payload: dict[str, Any], status: str) -> None:
    for job in open_streams(tx, recorder, root):
        recorder.append(tx, _origin(tx, recorder, job.stream), event_type, payload)
        tx.jobs.set_status(job.stream, status)


def _origin(tx: Tx, recorder: Recorder, stream: str) -> Origin:
    return recorder.origin(tx, stream) or recorder.system(tx)


def interrupt(tx: Tx, recorder: Recorder, root: str, reason: str) -> None:
    """Note that nobody plays a job any more; it can be taken up."""
    _say(tx, recorder, root, "JOB_INTERRUPTED", {"job_id": root, "reason": reason}, "interrupted")


def cancel(tx: Tx, recorder: Recorder, root: str, reason: str) -> None:
    """End a job that nobody plays."""
    _say(tx, recorder, root, "JOB_CANCELLED", {"job_id": root, "reason": reason}, "cancelled")


def abandon(tx: Tx, recorder: Recorder, root: str, reason: str = "") -> None:
    """Give up a job that nobody plays any more; its stream can be joined again, its seed stays used."""
    said = {"job_id": root, **({"reason": reason} if reason else {})}
    _say(tx, recorder, root, "JOB_ABANDONED", said, "abandoned")


def take_up(tx: Tx, recorder: Recorder, root: JobTold, holder: str, elapsed_ms: int) -> int:
    """Take a job up in this process: from here on it is in its next life. Return which one that is."""
    life = root.life + 1
    for job in open_streams(tx, recorder, root.stream):
        origin = _origin(tx, recorder, job.stream)
        recorder.append(tx, origin, "JOB_RESUMED", {"life": life, "elapsed_ms": elapsed_ms})
        if job.stream == root.stream:
            tx.jobs.take_up(job.stream, holder, life)
        else:
            tx.jobs.take_up(job.stream, "", life)
    return life


def leave(tx: Tx, recorder: Recorder, streams_: list[str]) -> None:
    """The process that plays these jobs ends: what is durable of them is interrupted."""
    for stream in streams_:
        told = recorder.jobs.told(tx, stream)
        if told is not None and told.kind in DURABLE:
            interrupt(tx, recorder, stream, "closed")


def lose(tx: Tx, recorder: Recorder, row: JobRow) -> None:
    """The holder of a job is lost: a question is given up, what is durable is interrupted."""
    told = recorder.jobs.told(tx, row.stream)
    kind = row.kind if told is None else told.kind
    if kind in DURABLE:
        interrupt(tx, recorder, row.stream, "holder_lost")
    else:
        tx.jobs.set_status(row.stream, "abandoned")
        origin = recorder.origin(tx, row.stream) or recorder.system(tx)
        recorder.append(tx, origin, "JOB_ABANDONED", {"job_id": row.stream})
