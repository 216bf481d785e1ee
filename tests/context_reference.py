"""A slow, plain reading of the context contract, to hold the fast one against.

Written from the requirement text and the settled points alone: the standard library parser, one list of candidates,
one sort, no index, no cache. It shares no code with the package except the canonical JSON of a third party.
"""

import hashlib
import json
import math
import os
import re
from datetime import datetime, timedelta, timezone

import rfc8785


class Unparseable(Exception):
    pass


class WrongRequest(Exception):
    pass


def sha(data):
    return hashlib.sha256(data).hexdigest()


def normal(text):
    out, gap = [], False
    for char in text.lower():
        if char.isspace():
            gap = True
            continue
        if gap and out:
            out.append(" ")
        gap = False
        out.append(char)
    return "".join(out)


def trimmed(text):
    start, end = 0, len(text)
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return text[start:end]


def depth_of(text):
    deepest = depth = 0
    inside = escaped = False
    for char in text:
        if inside:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                inside = False
        elif char == '"':
            inside = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def parse_json(raw):
    def refuse(_):
        raise Unparseable

    def check(value):
        if isinstance(value, str) and any(0xD800 <= ord(char) <= 0xDFFF for char in value):
            raise Unparseable
        if isinstance(value, list):
            for item in value:
                check(item)

    def pairs(items):
        for key, value in items:
            check(key)
            check(value)
        return dict(items)

    def number(text):
        value = float(text)
        if math.isinf(value):
            raise Unparseable
        return value

    def integer(text):
        number(text)
        return int(text)

    try:
        if len(raw) > 4 * 1024 * 1024:
            raise Unparseable
        text = raw.decode("utf-8")
        if depth_of(text) > 128:
            raise Unparseable
        value = json.loads(text, parse_constant=refuse, object_pairs_hook=pairs, parse_float=number, parse_int=integer)
        check(value)
    except (ValueError, RecursionError):
        raise Unparseable from None
    return value


def instant(text):
    found = re.match(
        r"^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})"
        r"(\.[0-9]+)?(Z|z|[+-][0-9]{2}:[0-9]{2})?\Z",
        text,
    )
    if not found:
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    micro = int(((found[7] or ".0")[1:] + "000000")[:6])
    zone = timezone.utc  # noqa: UP017 - as plain as can be
    if found[8] and found[8] not in "Zz":
        hours, minutes = int(found[8][1:3]), int(found[8][4:6])
        if hours > 23 or minutes > 59:
            return None
        delta = timedelta(hours=hours, minutes=minutes)
        zone = timezone(-delta if found[8][0] == "-" else delta)
    try:
        return datetime(year, month, day, hour, minute, second, micro, zone).astimezone(timezone.utc)  # noqa: UP017
    except (ValueError, OverflowError):
        return None


def spelled(moment):
    text = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"
    text += f"T{moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}"
    return text + (f".{moment.microsecond:06d}Z" if moment.microsecond else "Z")


def integers_fit(value):
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return abs(value) <= 2**53 - 1
    if isinstance(value, dict):
        return all(integers_fit(item) for item in value.values())
    if isinstance(value, list):
        return all(integers_fit(item) for item in value)
    return True


def candidate(raw, path):
    """A dict for a valid line, a dropped entry for an invalid one."""
    bad = {"memory_id": "", "record_hash": sha(raw), "store_path": path, "reason": "invalid_record_schema"}
    try:
        line = parse_json(raw)
    except Unparseable:
        return None, bad
    if not isinstance(line, dict):
        return None, bad
    if isinstance(line.get("memory_id"), str):
        bad["memory_id"] = line["memory_id"]
    else:
        return None, bad
    if not isinstance(line.get("text"), str):
        return None, bad
    when = line.get("ts_utc")
    if when is not None and not isinstance(when, str):
        return None, bad
    tags = line.get("tags")
    if tags is None:
        tags = []
    if not isinstance(tags, list) or any(not isinstance(tag, str) for tag in tags):
        return None, bad
    refs = line.get("refs")
    if refs is None:
        refs = []
    if not isinstance(refs, list) or any(not isinstance(ref, dict) for ref in refs) or not integers_fit(refs):
        return None, bad
    moment = instant(when) if when is not None else None
    record = {
        "memory_id": line["memory_id"],
        "text": line["text"],
        "tags": sorted({tag.lower() for tag in tags}),
        "refs": refs,
        "ts_utc": spelled(moment) if moment else None,
    }
    record["record_hash"] = sha(rfc8785.dumps({key: record[key] for key in sorted(record)}))
    record["moment"] = moment
    record["store_path"] = path
    return record, None


def lines(data):
    pieces = data.split(b"\n")
    last = pieces.pop()
    found = [piece[:-1] if piece.endswith(b"\r") else piece for piece in pieces]
    if last:
        found.append(last)
    return [line for line in found if line.strip(b" \t\n\r\x0b\x0c")]


def context_package(request):
    """The package for a valid request, as a plain dict."""
    budget, scoring = request["budget"], request.get("scoring") or {}
    trust = request.get("trust_filter") or {}
    given = scoring.get("query_terms")
    if given is None:
        terms = [term for term in normal(request["query"]).split(" ") if len(term) >= 2]
    else:
        terms = [normal(term) for term in given if normal(term)]
    terms = [term for place, term in enumerate(terms) if term not in terms[:place]]
    denied = set()
    if trust.get("trust_snapshot_path") is not None:
        deny = trust.get("deny_classifications")
        deny = ["malicious"] if deny is None else deny
        with open(trust["trust_snapshot_path"], "rb") as file:
            for item in json.load(file)["items"]:
                if item["classification"] in deny:
                    denied |= {
                        (name, item[name]) for name in ("memory_id", "record_hash") if item.get(name) is not None
                    }
    invalid, refused, kept = [], [], []
    for path in sorted({os.path.normpath(path) for path in request["store_paths"]}):
        with open(path, "rb") as file:
            data = file.read()
        for raw in lines(data):
            record, bad = candidate(raw, path)
            if bad:
                invalid.append(bad)
            elif ("memory_id", record["memory_id"]) in denied or ("record_hash", record["record_hash"]) in denied:
                refused.append(entry(record, "trust_denied"))
            else:
                kept.append(record)
    now = instant(request["now_utc"]) if request.get("now_utc") is not None else None
    for record in kept:
        record["score"] = score(record, terms, scoring, now)
    kept.sort(
        key=lambda r: (
            -r["score"],
            -((r["moment"] - datetime(1, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1))  # noqa: UP017
            if r["moment"]
            else 1,
            r["store_path"],
            r["memory_id"],
            r["record_hash"],
        )
    )
    most = budget["max_excerpt_tokens"]
    per_item = budget.get("per_item_max_excerpt_tokens")
    per_item = most if per_item is None else min(per_item, most)
    items = budget.get("max_items")
    items = 50 if items is None else items
    selected, rest, used, full = [], [], 0, False
    for record in kept:
        text = trimmed(record["text"])[: per_item * 4]  # no code point is shorter than a byte
        while len(text.encode()) > per_item * 4:
            text = text[:-1]
        tokens = math.ceil(len(text.encode()) / 4)
        full = full or len(selected) >= items or used + tokens > most
        if full:
            rest.append(entry(record, "budget_exhausted"))
            continue
        used += tokens
        selected.append(
            {key: record[key] for key in ("memory_id", "record_hash", "store_path", "score")}
            | {"excerpt": text, "excerpt_tokens": tokens}
        )
    package = {
        "query": {"raw": request["query"], "query_hash": sha(normal(request["query"]).encode())},
        "budget": {
            "max_excerpt_tokens": most,
            "used_excerpt_tokens": used,
            "remaining_excerpt_tokens": max(0, most - used),
            "per_item_max_excerpt_tokens": per_item,
            "max_items": items,
        },
        "selection": {"selected": selected, "dropped": invalid + refused + rest},
        "controller_version": "phase6-v1",
    }
    package["package_hash"] = sha(rfc8785.dumps(package))
    return package


def entry(record, reason):
    return {key: record[key] for key in ("memory_id", "record_hash", "store_path")} | {"reason": reason}


def score(record, terms, scoring, now):
    text = normal(record["text"])
    value = float(sum(1 for term in terms if term in text))
    if scoring.get("enable_tag_overlap") is not False:
        value += 0.5 * sum(1 for term in terms if term in record["tags"])
    if scoring.get("enable_recency_weight") and now is not None and record["moment"] is not None:
        half_life = scoring.get("recency_half_life_days")
        half_life = 30 if half_life is None else half_life
        age_days = (now - record["moment"]).total_seconds() / 86400
        value += 1.0 if age_days < 0 else min(1.0, 0.5 ** (age_days / half_life))
    return round(value, 12)
