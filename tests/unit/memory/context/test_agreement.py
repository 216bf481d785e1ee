"""The fast reader and the plain reference give the same package, byte for byte, on stores nobody chose."""

import json
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context_reference import context_package
from mace.memory import context
from mace.storage.jsonl import JsonlStores

WORDS = [
    "alpha",
    "Beta",
    "ALPHABET",
    "bet",
    "ΑΣ",
    "ας",
    "σ",
    "İstanbul",
    "straße",
    "日本語",
    "日本",
    "x",
    "id7",
    "a\0b",
    "supercalifragilistic",
    "supercalifragilist",
    "ab",
    "be",
    "\U0001f600",
    "e\u0301",
    "\u212a",
]
SPACES = [" ", "  ", "\t", "\n", "\u00a0", "\u2003", "\x1c", "\x1f", "\u3000", "\x85", "\u200b", "\r"]

texts = st.one_of(
    st.lists(st.sampled_from(WORDS + SPACES), max_size=12).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
stamps = st.sampled_from(
    [
        None,
        "2024-01-01T00:00:00Z",
        "2024-01-01 00:00:00",
        "2024-01-01t01:00:00+01:00",
        "2024-01-01T00:00:00.5z",
        "2024-01-01T00:00:00.1234567Z",
        "2023-12-31T23:59:59-00:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59Z",
        "2024-02-30T00:00:00Z",
        "yesterday",
        "",
        "2024-01-01T24:00:00Z",
        "2024-01-01T00:00:60Z",
        "1900-05-05T05:05:05Z",
        "2024-01-01T00:00:00.000Z",
        "２０２４-01-01T00:00:00Z",
        "2024-01-01T00:00:00Z\n",
        "2024-01-01T00:00:00+24:00",
    ]
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
    | st.sampled_from([2**53 - 1, 2**53, -(2**53), 10**30, 1e30, -0.0, 1.0]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab\U0001f600\ue000"), inner, max_size=3)
    ),
    max_leaves=5,
)
records = st.fixed_dictionaries(
    {
        "memory_id": st.sampled_from(["m1", "m2", "m10", "", "é", "\U0001f600", "\ue000", 'quo"te', "a\\b", "m\u0000"]),
        "text": texts,
    },
    optional={
        "ts_utc": stamps,
        "tags": st.none() | st.lists(st.sampled_from(["Alpha", "alpha", "BET", "日本", "x", "ΑΣ", ""]), max_size=3),
        "refs": st.none()
        | st.lists(st.dictionaries(st.sampled_from("ab\U0001f600\ue000"), json_values, max_size=2), max_size=2),
        "other": json_values,
    },
)


def encoded(record, ascii_only):
    return json.dumps(record, ensure_ascii=ascii_only).encode()


good_lines = st.builds(encoded, records, st.booleans())
bad_lines = st.one_of(
    st.sampled_from(
        [
            b"",
            b" ",
            b"\t\x0c",
            b"\x1c",
            b"null",
            b"[]",
            b"{}",
            b'"x"',
            b"{",
            b'{"memory_id":"m1"}',
            b'{"memory_id":1,"text":"t"}',
            b'{"memory_id":"m1","text":"t","tags":"a"}',
            b'{"memory_id":"m1","text":"t","tags":[1]}',
            b'{"memory_id":"m1","text":"t","tags":[null]}',
            b'{"memory_id":"m1","text":"t","tags":{}}',
            b'{"memory_id":"m1","text":"t","refs":{}}',
            b'{"memory_id":"m1","text":"t","refs":[1]}',
            b'{"memory_id":"m1","text":"t","refs":""}',
            b'{"memory_id":"m1","text":"t","refs":0}',
            b'{"memory_id":"m1","text":"t","refs":false}',
            b'{"memory_id":"m1","text":"t","ts_utc":5}',
            b'{"memory_id":"m1","text":"t","x":NaN}',
            b'{"memory_id":"m1","text":"t","x":1e999}',
            b'{"memory_id":"m1","text":"t","x":1' + b"0" * 400 + b"}",
            b'{"memory_id":"m1","text":"\\ud800"}',
            b'{"memory_id":"m1","text":"\xff"}',
            b'\xef\xbb\xbf{"memory_id":"m1","text":"t"}',
            b'{"memory_id":"m1","text":"a","text":"alpha","x":"\\udc00"}',
            b'{"memory_id":"m1","text":"a","text":"alpha"}',
            b'{"memory_id":"m1","text":null,"text":"bet"}',
            b'{"memory_id":"m1","text":"bet","text":null}',
            b'{"memory_id":"m1","text":"t","x":' + b"[" * 127 + b"]" * 127 + b"}",
            b'{"memory_id":"m1","text":"t","x":' + b"[" * 128 + b"]" * 128 + b"}",
            b'{"memory_id":"m1","text":"t","x":' + b"[" * 2000 + b"]" * 2000 + b"}",
            b'{"memory_id":"m1","text":"' + b"[" * 300 + b'"}',
            b'{"memory_id":"m1","text":"t","x":' + b"[" * 128 + b"]" * 128 + b',"x":1}',
            b'{"memory_id":"m1","text":"t"}\r',
            b' {"memory_id":"m1","text":"t"} ',
            b'{"memory_id":"m1","text":"t\x01"}',
            b'\x0b{"memory_id":"m1","text":"t"}',
            b'{"memory_id":"m1","text":"tt","refs":[{"a":123456789012345678901234567890}]}',
            b'{"memory_id":"m1","text":"tt","refs":[{"a":1e30,"b":-0,"c":1.50}]}',
            b'{"memory_id":"m1","text":"tt","refs":[{"a":9007199254740993.0}]}',
        ]
    ),
    st.binary(max_size=30),
)
stores = st.builds(
    lambda body, ends, tail: b"".join(line + end for line, end in zip(body, ends, strict=False)) + tail,
    st.lists(st.one_of(good_lines, good_lines, good_lines, bad_lines), max_size=14),
    st.lists(st.sampled_from([b"\n", b"\n", b"\r\n"]), min_size=14, max_size=14),
    st.one_of(st.just(b""), good_lines, st.just(b"\r"), bad_lines),
)
query_terms = st.none() | st.lists(
    st.sampled_from(
        [
            "alpha",
            "BET",
            "alpha  beta",
            "a",
            "",
            " ",
            "lpha bet",
            "σ",
            "ας",
            "x",
            "日本語 日",
            "id7 x",
            "b",
            "bet ab be",
            "\u00a0x",
            "fragilist",
        ]
    ),
    max_size=5,
)
requests = st.fixed_dictionaries(
    {
        "query": st.sampled_from(
            [
                "alpha beta",
                "  ΑΣ  σ ",
                "日本 x",
                "BETA\u2003be bet",
                "nothing",
                "fragilistic supercalifragilistic",
                "a\0b ab",
            ]
        ),
        "budget": st.fixed_dictionaries(
            {"max_excerpt_tokens": st.sampled_from([1, 2, 3, 7, 20, 1000])},
            optional={
                "per_item_max_excerpt_tokens": st.sampled_from([None, 1, 2, 5000]),
                "max_items": st.sampled_from([None, 1, 3, 100]),
            },
        ),
    },
    optional={
        "scoring": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "enable_recency_weight": st.sampled_from([None, True, False]),
                "recency_half_life_days": st.sampled_from([None, 1, 400]),
                "enable_tag_overlap": st.sampled_from([None, True, False]),
                "query_terms": query_terms,
            },
        ),
        "now_utc": st.sampled_from([None, "2024-01-02T00:00:00Z", "2023-12-31T23:59:59.5Z"]),
    },
)
denials = st.none() | st.lists(
    st.fixed_dictionaries(
        {"memory_id": st.sampled_from(["m1", "m10", "é"]), "classification": st.sampled_from(["malicious", "odd"])}
    ),
    max_size=3,
)


@settings(
    max_examples=int(os.environ.get("CONTEXT_EXAMPLES", "400")), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(
    data=st.lists(stores, min_size=1, max_size=3),
    request_=requests,
    denied=denials,
    appended=st.lists(good_lines, max_size=3),
)
def test_the_package_is_the_reference_package(data, request_, denied, appended):
    with TemporaryDirectory() as folder:
        root = Path(folder)
        paths = []
        for number, content in enumerate(data):
            path = root / f"s{number}.jsonl"
            path.write_bytes(content)
            paths.append(str(path))
        request = request_ | {"store_paths": [*reversed(paths), f"{root}/./x/../s0.jsonl"]}
        if denied is not None:
            (root / "trust.json").write_text(json.dumps({"items": denied}))
            request["trust_filter"] = {
                "trust_snapshot_path": str(root / "trust.json"),
                "deny_classifications": ["malicious"],
            }
        expected = context_package(request)
        reader = JsonlStores(context, str(root / "cache"), time.time_ns, bytes(32))
        first = context.read(request, reader)
        assert first.as_dict() == expected
        pieces = []
        first.write_json(pieces.append)
        assert b"".join(map(bytes, pieces)) == rfc8785.dumps(expected)
        fresh = JsonlStores(context, str(root / "cache"), time.time_ns, bytes(32))
        assert context.read(request, fresh).as_dict() == expected
        if appended:
            with open(paths[0], "ab") as file:
                file.write(b"\n".join(appended))
            expected = context_package(request)
            assert context.read(request, reader).as_dict() == expected
            assert context.read(request, JsonlStores(context, None, time.time_ns)).as_dict() == expected
