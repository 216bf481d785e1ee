"""Letters as of Unicode 14.0 on every Python: the table, and slugs that newer tables would change."""

import subprocess
import sys
import unicodedata
from hashlib import sha256
from pathlib import Path

import pytest

from mace.memory.experience.letters import kind_of, pinned
from mace.memory.experience.megrams import intent_slug

# Over every character: whatever Python runs this, the answer is the one of Unicode 14.0.
KINDS = "0cb09441499d973f0aa2bb8a908d1cd563105551ed5f36473e821077606a1797"
PINNED = "d131d51611d3e3bdb6ad601bb76affd53d09e9d76a3ab41caa1ba78fd8340211"
EVERY = [chr(number) for number in range(0x110000)]


def test_the_table_is_the_one_that_was_pinned():
    assert sha256("".join(kind_of(character) or "-" for character in EVERY).encode()).hexdigest() == KINDS


def test_case_and_composition_are_the_same_on_every_python():
    text = "\n".join(pinned(character) for character in EVERY).encode("utf-8", "surrogatepass")
    assert sha256(text).hexdigest() == PINNED


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="compares with Python's own tables of that version")
def test_it_is_what_python_said_when_it_was_pinned():
    for character in EVERY:
        category = unicodedata.category(character)[0]
        assert kind_of(character) == {"L": "L", "N": "L", "M": "M"}.get(category, ""), hex(ord(character))


@pytest.mark.parametrize(
    ("intent", "slug"),
    [
        ("Deploy the Service now", "deploy_the_service"),
        ("  a\tb\x1fc d", "a_b_c"),
        ("it's 5% off!", "its_5_off"),
        ("ΟΔΟΣ Straße ÉTÉ", "οδος_straße_été"),
        ("e\u0301te\u0301", "été"),
        ("caf\u00e9\U0001f600", "café"),
        ("deploy \U00011f04\U00011f05 now", "deploy_now"),  # Kawi, letters since Unicode 15.0
        ("a\u2ebfb", "ab"),  # an ideograph's radical: a symbol
        ("\U0002ebf0 x", "x"),  # CJK Extension I, since Unicode 15.1
        ("x\ua7cby", "xy"),  # a capital letter since Unicode 16.0
    ],
)
def test_slugs_do_not_change_with_python(intent: str, slug: str):
    assert intent_slug(intent) == slug


def test_other_pythons_say_the_same():
    """The same hashes on every other Python of this machine, whose tables are older or newer."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from hashlib import sha256; from letters import kind_of, pinned\n"
        "every = [chr(number) for number in range(0x110000)]\n"
        "print(sha256(''.join(kind_of(c) or '-' for c in every).encode()).hexdigest())\n"
        "print(sha256('\\n'.join(map(pinned, every)).encode('utf-8', 'surrogatepass')).hexdigest())\n"
    )
    folder = Path(sys.modules["mace.memory.experience.letters"].__file__ or "").parent
    others = [path for path in Path(sys.base_prefix).parent.glob("3.1[1-9]*/bin/python") if path.exists()]
    for python in others:
        ran = subprocess.run(
            [str(python), "-I", "-c", program, str(folder)], capture_output=True, text=True, check=True, timeout=120
        )
        assert ran.stdout.split() == [KINDS, PINNED], python
