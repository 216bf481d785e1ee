"""Canonical keys: how a fact is named, who owns a name, and whose key a key is.

Pure. It holds no registry and knows no permission; callers pass in what the registry says and store what
`register` asks for. This is the only place that builds or takes apart a key: another normalisation anywhere
else would lose facts, and a change to the rules here renames facts already stored (golden tests stand guard).
Error messages never repeat what was given, because it may be personal.

The registry keeps apart raw identities that give the same slug. It maps a *slot* to the SHA-256 of the folded
identity that owns it (never the raw text) and only ever grows: an entry changed or removed would move keys.
A slot is `scope/entity_type/entity_id`; for users it is `user/entity_id`, without the type, so that a person
has one id under every type. The first identity gets the plain key; a later one gets `-` and six hex digits of
its own hash, or ten when even those are another's. The result is a function of the arguments and the entries,
so a key written today is derived again at any later read.

Two folds. A person's identity is `fold_identity` without apostrophes; that of anything else is `fold_name`, which
keeps symbols (`C`, `C++` and `C#` are three) and drops what only spells (`Ohm's law` is `ohms_law`). Entries made
before `fold_name` hold the hash of `fold_identity`: they are looked for too, and suffixes are still made from it.
What the engine does with it:

- To name something by raw parts (`Mace.key`): `key_to_name`; it stores nothing.
- To store something under raw parts: `place`, insert `placement.register`, and record a `collision_event` when
  `placement.newly_collided`, in one transaction that also did the look-ups; else two newcomers could both be
  given the plain key.
- To authorise a user for a literal key: `place_user`, and compare its slug with `user_of_key` (`same_user`
  does both). When the write goes through, insert the seat's `register` in that same transaction.
- To write a literal `user/` key without a `user_id`, or as the system or an admin: insert `claim_of(key)` if
  the slot is free. The key names `a_b`, and a later `a.b` must not find that seat empty.
- A slot of another scope under which something was written by its key is `literal_identity(slot)`'s, without an
  entry: the events of those writes say so.
- To read from raw parts: `key_to_read`, and store nothing.

A user is always named by the raw id: an entity id with a hash in it, given as a `user_id`, is somebody else.
Decomposition follows the Unicode tables of the running Python; assigned characters are stable there, so only
ids in characters younger than those tables could be read differently by a later Python.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from mace.core.canon import sha256_hex
from mace.core.errors import InvalidInput
from mace.core.texts import is_encodable

SCOPES = ("user", "world", "mace", "agent", "system", "config")
USER_PREFIX = "user_"
MAX_COMPONENT = 64
MAX_SLUG = 48  # a longer slug is cut and gets a hash
MAX_MARKS = 64  # combining marks in a row; no writing needs 30

# With components of at most 64 characters no key comes near the limit of 256 for a whole key.
_PART = rf"[a-z0-9_]{{1,{MAX_COMPONENT}}}"
_KEY = re.compile(rf"({'|'.join(SCOPES)})/({_PART})/([a-z0-9_-]{{1,{MAX_COMPONENT}}})/({_PART})")
_PREFIX = re.compile(rf"(?:{'|'.join(SCOPES)})(?:/{_PART}(?:/[a-z0-9_-]{{1,{MAX_COMPONENT}}}(?:/{_PART})?)?)?")
OPAQUE_PREFIX = "id_"
OPAQUE_LETTERS = 32  # 128 bits; letters alone, which no detector takes for a number
_OPAQUE = re.compile(OPAQUE_PREFIX + "[a-p]{32}")
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
_APOSTROPHES = str.maketrans("", "", "'’")
_BLANKS = re.compile(r"[\s_-]+")
_SEPARATORS = str.maketrans(dict.fromkeys("/.,:;()", " "))  # what a key written by hand leaves out
_TELLING = "+#*@&%"  # symbols that make another name of one, wherever they stand
_NOT_SLUG = re.compile("[^a-z0-9]+")
_NO_KEY = "not a canonical key: scope/entity_type/entity_id/attribute with a known scope"

Registered = Callable[[str], str | None]  # slot -> the identity hash that owns it; `dict.get` will do


class Key(NamedTuple):
    scope: str
    entity_type: str
    entity_id: str
    attribute: str

    def __str__(self) -> str:
        return "/".join(self)


class Registration(NamedTuple):
    """An entry for the registry; to be inserted only where the slot is still free."""

    slot: str
    identity: str


@dataclass(slots=True, kw_only=True)  # not frozen: every look at a person makes one, and freezing triples its price
class SlugClaim:
    """Where the registry seats one identity."""

    slug: str  # the entity_id of its keys, suffix included
    identity: str  # SHA-256 of the folded identity
    collided: bool  # another identity was there first
    plain: str  # the entity_id that the words alone give
    register: tuple[Registration, ...]  # what the registry does not hold yet

    @property
    def newly_collided(self) -> bool:
        """Say whether a `collision_event` is due: a collision is recorded once, when its entry is."""
        return self.collided and bool(self.register)


@dataclass(slots=True, kw_only=True)
class Placement(SlugClaim):
    """A seat and the key of one attribute there."""

    key: str


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity before the registry was asked."""

    scope: str
    entity_type: str
    entity_id: str
    identity: str  # folded
    digest: str  # its SHA-256
    cut: bool  # the id is a cut slug and a hash
    older: str  # folded as earlier versions did, for every scope alike


def normalise(text: str) -> str:
    """Return the slug of a text: ASCII, lowercase, `_` for all between words; empty when nothing is left."""
    return _NOT_SLUG.sub("_", _ascii_form(text).lower()).strip("_")


def fold_identity(raw: str) -> str:
    """Return what two spellings of one identity share; empty when the text names nothing.

    NFKC, case folded, white space collapsed, punctuation at the edges and every leading `user_` stripped.
    ValueError for marks piled up as in no writing: sorting them would take quadratic time.
    """
    if not raw.isascii() and _longest_run_of_marks(raw) > MAX_MARKS:
        raise InvalidInput(f"text must not have more than {MAX_MARKS} combining marks in a row")
    folded = _fold_once(raw)
    while folded != raw:  # folding case can undo NFKC and the other way round; a second pass settles it
        raw, folded = folded, _fold_once(folded)
    return folded


def fold_name(raw: str) -> str:
    """Return what two spellings of one name share, outside scope `user`; empty when the text names nothing.

    NFKC, case folded, apostrophes and the marks of Latin letters dropped, runs of white space, `_` and `-` one space;
    every other symbol stays. ValueError for marks piled up as in no writing.
    """
    if raw.isascii():
        return _BLANKS.sub(" ", raw.lower().translate(_APOSTROPHES)).strip()
    if _longest_run_of_marks(raw) > MAX_MARKS:
        raise InvalidInput(f"text must not have more than {MAX_MARKS} combining marks in a row")
    folded = _fold_name_once(raw)
    while folded != raw:
        raw, folded = folded, _fold_name_once(folded)
    return folded


def name_hash(raw: str) -> str:
    """Return what the registry keeps of a name outside scope `user`; never what `identity_hash` gives for any text."""
    return _name_digest(fold_name(raw))


def literal_identity(slot: str) -> str:
    """Return the identity that a slot outside scope `user` has by what is written there by its key."""
    return name_hash(slot.rpartition("/")[2])


def is_spelled(slot: str, owner: str, registered: Registered) -> bool:
    """Say whether an entry outside scope `user` is that of a slot's own words, in a spelling that can be told."""
    scope, entity_type, slug = slot.split("/")
    return _is_own(_entity(scope, entity_type, slug, None), owner, registered)


def generate_canonical_key(
    scope: str, entity_type: str, entity_id_raw: str | None, attribute_raw: str, user_id: str | None = None
) -> str:
    """Build the key that the parts alone determine, without the registry; ValueError for what gives none."""
    return _key_of(_entity(scope, entity_type, entity_id_raw, user_id), attribute_raw)


def parse_key(key: str) -> Key:
    """Take a key apart; ValueError unless all of it is a valid key."""
    if not isinstance(key, str):
        raise InvalidInput(_NO_KEY)
    return _parsed(key)


@lru_cache(maxsize=8192)  # a write looks at its key more than once
def _parsed(key: str) -> Key:
    found = _KEY.fullmatch(key)
    if found is None:
        raise InvalidInput(_NO_KEY)
    return Key(*found.groups())


def valid_key(key: object) -> bool:
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def check_prefix(prefix: str) -> str:
    """Return a prefix of whole leading components, without `/` at its end; ValueError for any other.

    The empty prefix stands for every key. `user/prof` is allowed and matches only a component `prof`.
    """
    if not isinstance(prefix, str):
        raise InvalidInput(f"prefix must be a str, got {type(prefix).__name__}")
    plain = prefix.removesuffix("/")
    if prefix and (_PREFIX.fullmatch(plain) is None or (prefix != plain and plain.count("/") == 3)):
        raise InvalidInput("prefix must be whole leading components of a key, such as world/fact")
    return plain


def prefix_matches(key: str, prefix: str) -> bool:
    plain = check_prefix(prefix)
    return not plain or key == plain or key.startswith(plain + "/")


def identity_hash(raw: str) -> str:
    """Return what the registry keeps of an identity: the SHA-256 of its folded form."""
    return sha256_hex(fold_identity(raw))


def place(
    scope: str,
    entity_type: str,
    entity_id_raw: str | None,
    attribute_raw: str,
    user_id: str | None,
    registered: Registered,
) -> Placement:
    """Decide the key of an identity, given who owns which slot; ValueError for what gives no key at all."""
    entity = _entity(scope, entity_type, entity_id_raw, user_id)
    plain = parse_key(_key_of(entity, attribute_raw))
    seat = _seat(entity, registered)
    return Placement(
        key=str(plain._replace(entity_id=seat.slug)),
        slug=seat.slug,
        identity=seat.identity,
        collided=seat.collided,
        plain=seat.plain,
        register=seat.register,
    )


def key_to_read(
    scope: str,
    entity_type: str,
    entity_id_raw: str | None,
    attribute_raw: str,
    user_id: str | None,
    registered: Registered,
) -> str:
    """Return the key under which to look for a fact named by its raw parts.

    Outside scope `user`, a name that has no seat reads what stands under the words of its key when the two differ by
    separators only: who asks for "TCP/IP" means `tcp_ip`, but "C++" never means `c`. A user never does: that would be
    another person's fact.
    """
    placement = place(scope, entity_type, entity_id_raw, attribute_raw, user_id, registered)
    return _meant(placement, entity_id_raw, registered) or placement.key


def key_to_name(
    scope: str,
    entity_type: str,
    entity_id_raw: str | None,
    attribute_raw: str,
    user_id: str | None,
    registered: Registered,
) -> Placement:
    """Decide the key to give for a name, and what a write under it has to enter; nothing where it is another's key.

    That is as `key_to_read` says, but only of what was written by its key: two names that were given are kept apart.
    """
    placement = place(scope, entity_type, entity_id_raw, attribute_raw, user_id, registered)
    found = _meant(placement, entity_id_raw, registered)
    is_literal: Callable[[str], bool] | None = getattr(registered, "is_literal", None)
    if found is None or is_literal is None or not is_literal(found.rpartition("/")[0]):
        return placement
    plain = placement.plain
    return Placement(key=found, slug=plain, identity=name_hash(plain), collided=False, plain=plain, register=())


def _meant(placement: Placement, entity_id_raw: str | None, registered: Registered) -> str | None:
    """The key that a name without a seat differs from by separators only, if something has it; outside scope `user`."""
    key = parse_key(placement.key)
    if not placement.newly_collided or key.scope == "user" or placement.slug == placement.plain:
        return None
    slot = _slot(key.scope, key.entity_type, placement.plain)
    words = " ".join(fold_name(_text(entity_id_raw, "entity_id")).translate(_SEPARATORS).split())
    owner = registered(slot)
    if owner is None or _name_digest(words) != literal_identity(slot):
        return None
    return str(key._replace(entity_id=placement.plain)) if is_spelled(slot, owner, registered) else None


def place_user(user_id: str, registered: Registered) -> SlugClaim:
    """Decide the entity id of a user; ValueError when the id names nobody."""
    return place_entity(user_entity(user_id), registered)


def user_entity(user_id: str) -> Entity:
    """What a user's id says by itself; a function of the id alone, so whoever asks often may keep it."""
    return _user("profile", user_id)


def opaque_user(user_id: str) -> str:
    """An id whose every character counts, as one that folding leaves alone; ValueError for what is no text.

    One that is canonical already stays as it is. Any other becomes the hash of its exact text, and so does one that
    looks like such a hash, so that nobody can be called what another one became.
    """
    _text(user_id, "user_id")
    if _is_canonical_user(user_id) and not _OPAQUE.fullmatch(user_id):
        return user_id
    digest = sha256_hex(user_id)[:OPAQUE_LETTERS]
    return OPAQUE_PREFIX + digest.translate(_LETTERS)


def is_user_slug(text: str) -> bool:
    """Whether a text is what facts call some user (`user_ana`)."""
    return text.startswith(USER_PREFIX) and _is_canonical_user(text.removeprefix(USER_PREFIX))


def _is_canonical_user(user_id: str) -> bool:
    try:
        entity = _user("profile", user_id)
    except ValueError:
        return False
    return entity.identity == user_id and entity.entity_id == USER_PREFIX + user_id


def place_entity(entity: Entity, registered: Registered) -> SlugClaim:
    return _seat(entity, registered)


def user_of_key(key: str) -> str | None:
    """Return the entity id of the user a key belongs to, or None: other scopes, and ids without `user_`."""
    parts = parse_key(key)
    owned = parts.scope == "user" and parts.entity_id.startswith(USER_PREFIX) and parts.entity_id != USER_PREFIX
    return parts.entity_id if owned else None


def same_user(user_id: str, key: str, registered: Registered) -> bool:
    """Say whether a key is this user's own; while the slot is free, that holds only if it is taken now."""
    return place_user(user_id, registered).slug == user_of_key(key)


def claim_of(key: str) -> Registration | None:
    """Return the registry entry that a literal key implies for the user it names, or None.

    An id that no plain user id gives (one with a hash in it, `user_a__b`) does not tell whose it is, and
    claims nothing.
    """
    slug = user_of_key(key)
    return None if slug is None else _claim_of_user(slug)


@lru_cache(maxsize=10_000)
def _claim_of_user(slug: str) -> Registration | None:
    if _user("profile", slug).entity_id != slug:
        return None
    return Registration(_slot("user", "profile", slug), identity_hash(slug))


def _fold_once(text: str) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    text = " ".join(text.split())
    end = len(text)
    while end and _is_edge(text[end - 1]):
        end -= 1
    start = 0
    while start < end:
        if text.startswith(USER_PREFIX, start, end):
            start += len(USER_PREFIX)
        elif _is_edge(text[start]):
            start += 1
        else:
            break
    return text[start:end]


def _fold_name_once(text: str) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    plain: list[str] = []
    is_latin = False
    for character in unicodedata.normalize("NFD", text.translate(_APOSTROPHES)):
        if unicodedata.combining(character):
            if not is_latin:  # of another script: there a mark can make another letter
                plain.append(character)
            continue
        is_latin = character.isascii()
        plain.append(character)
    text = unicodedata.normalize("NFKC", "".join(plain))
    return _BLANKS.sub(" ", text).strip()


def _name_digest(folded: str) -> str:
    return sha256_hex(f"name:{folded}")  # apart from the entries of earlier versions, which have nothing before it


def _is_edge(character: str) -> bool:
    return character == " " or unicodedata.category(character)[0] == "P"


def _ascii_form(text: str) -> str:
    """Return the text without apostrophes, decomposed, its combining marks dropped."""
    text = text.translate(_APOSTROPHES)
    if text.isascii():
        return text
    # Marks go first as well: sorting a long run of them would take quadratic time.
    return _without_marks(unicodedata.normalize("NFKD", _without_marks(text)))


def _without_marks(text: str) -> str:
    return "".join(c for c in text if c.isascii() or unicodedata.category(c)[0] != "M")


def _entity(scope: str, entity_type: str, entity_id_raw: str | None, user_id: str | None) -> Entity:
    scope = normalise(_text(scope, "scope"))
    if scope not in SCOPES:
        raise InvalidInput(f"scope must be one of {', '.join(SCOPES)}")
    entity_type = normalise(_text(entity_type, "entity_type"))
    if not 0 < len(entity_type) <= MAX_COMPONENT:
        raise InvalidInput(f"entity_type must have 1 to {MAX_COMPONENT} characters")
    if scope == "user":
        return _user(entity_type, user_id or entity_id_raw)
    raw = _text(entity_id_raw, "entity_id")
    slug = normalise(raw)
    if len(slug) > MAX_SLUG:
        slug, cut = f"{_cut(raw)}-{_sha1(raw)[:8]}", True
    else:
        slug, cut = slug or _nameless(raw), False
    identity = fold_name(raw)
    return Entity(scope, entity_type, slug, identity, _name_digest(identity), cut, fold_identity(raw))


def _user(entity_type: str, raw: str | None) -> Entity:
    """Build a user's id from the folded identity alone, so that all spellings of one user give one id."""
    identity = fold_identity(_text(raw, "user id"))
    slug = _without_prefix(normalise(identity))
    cut = len(slug) > MAX_SLUG
    if cut:
        slug = f"{_without_prefix(_cut(identity))}-{_sha1(identity)[:8]}"
    elif not slug:
        slug = _nameless(identity)
    older = identity
    if "'" in older or "’" in older:
        identity = fold_identity(older.translate(_APOSTROPHES))
    return Entity("user", entity_type, USER_PREFIX + slug, identity, sha256_hex(identity), cut, older)


def _key_of(entity: Entity, attribute_raw: str) -> str:
    attribute = normalise(_text(attribute_raw, "attribute"))[:MAX_COMPONENT]
    if not attribute:
        raise InvalidInput("attribute must not be empty and must have an ASCII form")
    return str(parse_key(f"{entity.scope}/{entity.entity_type}/{entity.entity_id}/{attribute}"))


def _seat(entity: Entity, registered: Registered) -> SlugClaim:
    identity = entity.digest
    slug, is_free = _own_slug(entity, registered)
    collided = slug != entity.entity_id
    register = [Registration(_slot(entity.scope, entity.entity_type, slug), identity)] if is_free else []
    if entity.cut:
        # Cut slugs differ by their hash already; that two share the readable part is still recorded. No id is
        # made that ends in a hyphen, so this slot is no key's.
        shared = _slot(entity.scope, entity.entity_type, entity.entity_id[:-8])
        first = registered(shared)
        if first is None:
            register.append(Registration(shared, identity))
        collided = collided or not (first is None or _is_own(entity, first, registered))
    return SlugClaim(slug=slug, identity=identity, collided=collided, plain=entity.entity_id, register=tuple(register))


def _own_slug(entity: Entity, registered: Registered) -> tuple[str, bool]:
    """The slug of an entity, and whether its slot is free: one that it has, else the first that nobody has."""

    def owner_of(slug: str) -> str | None:
        return registered(_slot(entity.scope, entity.entity_type, slug))

    if entity.older != entity.identity and not _is_lossy(entity):
        own = sha256_hex(entity.older)  # a seat under the older fold is kept, so that what was apart stays apart
        for slug in _suffixed(entity, entity.older):
            held = owner_of(slug)
            if held is not None and _is_same(held, own, registered):
                return slug, False
    owner = owner_of(entity.entity_id)
    if owner is None:
        return entity.entity_id, True
    if _is_own(entity, owner, registered) or _is_literal(entity, entity.entity_id, owner, registered):
        return entity.entity_id, False
    free: str | None = None
    for number, spelling in enumerate(dict.fromkeys((entity.older, entity.identity, *_spellings(entity)))):
        for slug in _suffixed(entity, spelling):
            held = owner_of(slug)
            if held is None:
                free = free or (slug if number < 2 else None)
            elif _is_own(entity, held, registered) or (number == 0 and _is_literal(entity, slug, held, registered)):
                return slug, False
    if free is None:
        raise InvalidInput("no free key is left for this identity")
    return free, True


def _is_own(entity: Entity, owner: str, registered: Registered) -> bool:
    """Whether an entry is this entity's: by its identity, else by a spelling of it that an earlier version hashed."""
    if _is_same(owner, entity.digest, registered):
        return True
    if entity.scope == "user" and entity.older == entity.identity:
        return False
    return any(_is_same(owner, sha256_hex(spelling), registered) for spelling in _spellings(entity))


def _is_literal(entity: Entity, slug: str, owner: str, registered: Registered) -> bool:
    """Whether an id that carries this entity's hash was written by its key: by whoever was given it for this name."""
    if entity.scope == "user" or "-" not in slug or _is_lossy(entity):
        return False
    return _is_same(owner, name_hash(slug), registered)


def _is_lossy(entity: Entity) -> bool:
    """Whether the older fold drops what makes this another name: to it "C#" was "C", which it is not."""
    return any(entity.identity.count(symbol) > entity.older.count(symbol) for symbol in _TELLING)


def _spellings(entity: Entity) -> Iterator[str]:
    """The forms under which earlier versions may have entered an identity; as it is spelled now comes first."""
    texts = [entity.identity]
    if not _is_lossy(entity):
        texts = [entity.older, entity.identity, entity.older.replace("’", "'"), entity.older.replace("'", "’")]
    if entity.scope != "user":
        words = entity.identity.split(" ")
        texts += ["_".join(words), "-".join(words)]
        for at, word in enumerate(words[:8]):
            if len(word) > 1 and word.endswith("s"):
                for mark in "'’":
                    texts.append(" ".join([*words[:at], f"{word[:-1]}{mark}s", *words[at + 1 :]]))
    return iter(dict.fromkeys(texts))


def _suffixed(entity: Entity, identity: str) -> tuple[str, str]:
    """The ids that end in a hash, for where another one has the plain one.

    Those are slots too: six digits can be hit by trying ids, and would then open another's facts.
    """
    suffix = _sha1(identity)
    plain = entity.entity_id
    return f"{plain[: MAX_COMPONENT - 7]}-{suffix[:6]}", f"{plain[: MAX_COMPONENT - 11]}-{suffix[:10]}"


def _is_same(owner: str, identity: str, registered: Registered) -> bool:
    """Whether a slot is this identity's; a registry that keeps identities keyed says what it keeps of one."""
    hidden = getattr(registered, "hidden", None)
    return owner == identity or (hidden is not None and owner == hidden(identity))


def _slot(scope: str, entity_type: str, slug: str) -> str:
    return f"user/{slug}" if scope == "user" else f"{scope}/{entity_type}/{slug}"


def _cut(raw: str) -> str:
    """Return the slug of the first characters; cut again, since one character may decompose into many."""
    return normalise(raw[:MAX_SLUG])[:MAX_SLUG].rstrip("_") or "x"


def _nameless(text: str) -> str:
    """Return the id of a text without any ASCII form; ValueError when it says nothing in any script."""
    if not any(not c.isascii() and unicodedata.category(c)[0] in "LNS" for c in _ascii_form(text)):
        raise InvalidInput("entity id must contain a letter, a digit or a symbol")
    return f"x-{_sha1(text)[:8]}"


def _without_prefix(slug: str) -> str:
    start = 0
    while slug.startswith(USER_PREFIX, start):
        start += len(USER_PREFIX)
    return slug[start:]


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def _longest_run_of_marks(text: str) -> int:
    longest = run = 0
    for character in text:
        parts = unicodedata.normalize("NFKD", character)
        marks = sum(1 for part in parts if unicodedata.combining(part))
        run = run + marks if marks == len(parts) else marks
        longest = max(longest, run)
    return longest


def _text(value: str | None, name: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a str, got {type(value).__name__}")
    if not is_encodable(value):
        raise InvalidInput(f"{name} must not contain unpaired surrogates")
    return value
