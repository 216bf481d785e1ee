"""The memory controller: a request and a reader of stores in, a context package or a refusal out.

Pure but for what the reader does. Shape first, then stores in sorted order, then the trust snapshot: the order of the
requirement text, so that a wrong request always fails the same way. A missing store fails the whole request.
"""

import errno
from collections.abc import Callable
from typing import Any

import numpy as np

from mace.memory.context import phase7, scoring
from mace.memory.context.package import ContextPackage
from mace.memory.context.ports import Candidates, Progress, Ranks, StoreReader
from mace.memory.context.request import PHASE6, PHASE7, Refusal, Request, parse_request
from mace.memory.context.scoring import Scoring
from mace.memory.context.selection import select
from mace.memory.context.trust import Denied, parse_snapshot

SCORERS: dict[str, Callable[[Candidates, Request, Ranks], Scoring]] = {
    PHASE6: scoring.score_candidates,
    PHASE7: phase7.score_candidates,
}

_TRIES = 5
_NOT_A_FILE = {
    errno.ENOENT: "does not exist",
    errno.ENOTDIR: "does not exist",
    errno.ENAMETOOLONG: "does not exist",
    errno.ELOOP: "does not exist",
    errno.EISDIR: "is not a file",
    errno.EINVAL: "is not a file",
    errno.ENXIO: "is not a file",
    errno.EACCES: "cannot be read",
    errno.EPERM: "cannot be read",
}


def read(request: dict[str, Any], stores: StoreReader, progress: Progress | None = None) -> ContextPackage | Refusal:
    """Answer a request with its package; what is wrong with the request is an answer too.

    `progress` is told while a store is read for the first time; it changes nothing about the answer.
    """
    parsed = parse_request(request)
    if isinstance(parsed, Refusal):
        return parsed
    for _ in range(_TRIES - 1):
        try:
            return _read(parsed, stores, progress)
        except OSError as problem:
            if problem.errno != errno.ESTALE:  # a store changed between its index and its text: look again
                raise
    return _read(parsed, stores, progress)


def _read(request: Request, stores: StoreReader, progress: Progress | None) -> ContextPackage | Refusal:
    candidates = _open(request, stores, progress)
    if isinstance(candidates, Refusal):
        return candidates
    denied = _denied(request, stores)
    if isinstance(denied, Refusal):
        return denied
    denied_ranks = np.empty(0, np.uint32)
    if denied.memory_ids or denied.record_hashes:
        denied_ranks = candidates.marked(denied.memory_ids, denied.record_hashes)
    scored = SCORERS[request.version](candidates, request, denied_ranks)
    chosen = select(scored.ranking, candidates.record, request.budget)
    scores = [scored.score(item.rank, item.record) for item in chosen]
    return ContextPackage(request, candidates, scored.ranking, denied_ranks, chosen, scores)


def _open(request: Request, stores: StoreReader, progress: Progress | None) -> Candidates | Refusal:
    normalised = [stores.normalised(path) for path in request.store_paths]
    try:
        if request.version == PHASE7:
            return stores.open(sorted(set(normalised)), progress, with_talk=True)
        return stores.open(sorted(set(normalised)), progress)
    except OSError as problem:
        reason = _NOT_A_FILE.get(problem.errno or 0)
        if reason is None or problem.filename not in normalised:
            raise  # the disk, not the request
        return Refusal(f"store_paths[{normalised.index(problem.filename)}]", reason)


def _denied(request: Request, stores: StoreReader) -> Denied | Refusal:
    path = request.trust_snapshot_path
    if path is None:
        return Denied()
    field = "trust_filter.trust_snapshot_path"
    try:
        data = stores.read_snapshot(path)
    except OSError as problem:
        reason = _NOT_A_FILE.get(problem.errno or 0)
        if reason is None:
            raise
        return Refusal(field, reason)
    denied = parse_snapshot(data, request.deny_classifications)
    return Refusal(field, "is not a trust snapshot") if denied is None else denied
