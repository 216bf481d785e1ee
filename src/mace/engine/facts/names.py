"""Names of facts as verbs: keys from raw words, whose key is whose, and aliases.

The rules are `memory.keys` and `memory.aliases`; here the registry is asked and filled, in one transaction each, so
that two different identities never come to share a key, on whatever node they arrive.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from mace.core.errors import Conflict, IntegrityFailure, InvalidInput, PermissionDenied
from mace.core.times import iso_us
from mace.engine.kernel.cleaning import is_personal
from mace.engine.kernel.gate import FlaggedWrite, blocked
from mace.engine.kernel.journal import Journal, VerbJournal
from mace.engine.kernel.privacy import check_user_id, flags_in_json
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.slots import LOOKS
from mace.engine.kernel.world import World
from mace.ledger import rows
from mace.memory import aliases, keys
from mace.memory.aliases import Target
from mace.memory.spelling import one_spelling
from mace.storage.ports import AliasRow, Tx

if TYPE_CHECKING:
    from mace.engine.kernel.failures import Failures

T = TypeVar("T")
Name = tuple[str, str, str | None, str, str | None]  # what a key is asked for with

_MAX_NAMED = 10_000

entity_of = lru_cache(maxsize=4096)(keys.user_entity)  # of ids that were looked at: none is personal


class FactNames:
    """Builds canonical keys, assigns slugs to users, and resolves aliases."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        failures: "Callable[[], Failures]",
        packaged_aliases: Callable[[], dict[str, Target]],
    ) -> None:
        self._world = world
        self._slots = world.slots
        self._recorder = recorder
        self._get_failures = failures  # both are made when they are needed: a read needs neither
        self._get_packaged = packaged_aliases
        self._canonical: dict[tuple[bool, str], str | None] = {}
        self._given: dict[int, tuple[str, Name]] = {}  # keys by their `id`, which is theirs while they are held here

    @cached_property
    def _failures(self) -> "Failures":
        return self._get_failures()

    @cached_property
    def _packaged(self) -> dict[str, Target]:
        return self._get_packaged()

    def write(self, verb: str, unit: Callable[[Tx], T]) -> T:
        """Run a unit of a verb that raises when the store fails; the failure itself is kept."""
        return self._failures.write(verb, unit)

    def key(
        self, scope: str, entity_type: str, entity_id_raw: str | None, attribute_raw: str, user_id: str | None = None
    ) -> str:
        """The canonical key with the registry asked; the name is entered when something is stored under it.

        Until then nothing is claimed, and another name that comes first may have it; a write of the key that was given
        here is refused then.
        """

        def look(tx: Tx) -> keys.Placement:
            return keys.key_to_name(scope, entity_type, entity_id_raw, attribute_raw, user_id, self._slots.of(tx))

        placement = self._world.store.read(look)
        if placement.register:
            words = (entity_type, entity_id_raw or "", attribute_raw)  # as a slug a number may no longer look like one
            if is_personal(placement.key) or any(map(is_personal, words)):
                raise InvalidInput("key must not contain personal data: it is stored unencrypted on the ledger")
        if keys.parse_key(placement.key).scope != "user":
            self._give(placement.key, (scope, entity_type, entity_id_raw, attribute_raw, user_id))
        elif placement.register:
            check_user_id(user_id or entity_id_raw or "")
        return placement.key

    def _give(self, key: str, name: Name) -> None:
        """Remember the name for which a key is given out, for as long as that very text is at hand."""
        if len(self._given) >= _MAX_NAMED:
            self._given.clear()
        self._given[id(key)] = key, name

    def asked_for(self, key: str) -> Name | None:
        """The name for which this very text was given out, or None: then it means what it says.

        The same key from anywhere else is not meant: whoever writes it may never have heard of that name.
        """
        held = self._given.get(id(key))
        return held[1] if held is not None and held[0] is key else None

    def _enter(self, tx: Tx, journal: Journal, key: str, asked_for: Name | None) -> None:
        """Before a first write outside scope `user`: enter the name that it is for, or what it stands for by itself."""
        self._slots.lock(tx, key.rpartition("/")[0])  # a name that comes at the same time must see this write
        if asked_for is None:
            if "-" in key:
                self._slots.note_literal(tx, journal, key)
            return
        placed = keys.key_to_name(*asked_for, self._slots.of(tx))
        if placed.key != key:
            raise Conflict("the key was given to another name since it was asked for; ask for it again")
        if placed.register:
            self._slots.register(tx, journal, placed, key)

    def key_to_read(
        self, tx: Tx, scope: str, entity_type: str, entity_id_raw: str | None, attribute: str, user_id: str | None
    ) -> str:
        """Return the canonical key for raw words without registering anything."""
        return keys.key_to_read(scope, entity_type, entity_id_raw, attribute, user_id, self._slots.of(tx))

    def key_unasked(self, phrase: str, attribute: str, user_id: str) -> str:
        """The key of a person's attribute while the store cannot be asked: by the packaged aliases, else by its name.

        Whoever writes under it says who the user is; where another one sits, they are refused.
        """
        slug = keys.place_user(user_id, lambda _slot: None).slug
        plain = aliases.normalise_phrase(phrase)
        for said in (plain, *aliases.said_otherwise(plain)):
            alias = aliases.resolve(said, slug, {}, self._packaged)
            if alias is not None and keys.user_of_key(alias) == slug:
                return alias
        return keys.generate_canonical_key("user", "profile", None, one_spelling(attribute), user_id)

    def canonical_of(self, key: str) -> str | None:
        """The key that others use for what a key names, or None: by the packaged aliases, else by spelling."""
        parts = keys.parse_key(key)
        kind = (parts.scope, parts.entity_type) == ("user", "profile"), parts.attribute
        if kind not in self._canonical:
            if len(self._canonical) >= _MAX_NAMED:
                self._canonical.clear()
            self._canonical[kind] = self._canonical_attribute(*kind)
        attribute = self._canonical[kind]
        return None if attribute is None else str(parts._replace(attribute=attribute))

    def _canonical_attribute(self, is_of_a_profile: bool, attribute: str) -> str | None:
        spelled = one_spelling(attribute)
        if is_of_a_profile and attribute not in self._vocabulary:
            found = aliases.resolve(spelled.replace("_", " "), "user_x", {}, self._packaged)
            if found is not None and found.startswith("user/profile/user_x/"):
                spelled = keys.parse_key(found).attribute
        return None if spelled == attribute else spelled

    def user_slug(self, tx: Tx, user_id: str) -> str:
        """Return the slug of a user, as used in keys."""
        return keys.place_entity(entity_of(user_id), self._slots.of(tx)).slug

    def register(self, tx: Tx, seat: keys.SlugClaim, journal: Journal, key: str) -> None:
        """Take a seat; `Exists` when another identity took it meanwhile, then everything is to be looked up again."""
        self._slots.register(tx, journal, seat, key)

    def resolve_alias(self, tx: Tx, text: str, user_id: str | None) -> str | None:
        """Return the key a phrase is an alias for, or None."""
        return self.alias_for(tx, text, keys.place_user(user_id, self._slots.of(tx)).slug if user_id else None)

    def alias_for(self, tx: Tx, text: str, slug: str | None) -> str | None:
        """Return the key a phrase is an alias for when this person says it, or None.

        The phrase as it was said comes first, then as others spell it, with an article or without.
        """
        phrase = aliases.normalise_phrase(text) if len(text) <= aliases.MAX_TEXT else ""
        if not 0 < len(phrase) <= aliases.MAX_PHRASE or "\x00" in phrase:
            return None
        added = self._added(tx, phrase)
        if added is not None or phrase in self._packaged:
            return aliases.resolve(phrase, slug, {} if added is None else {phrase: added}, self._packaged)
        for said in aliases.said_otherwise(phrase):
            added = self._added(tx, said) if tx.aliases.row(said) is not None else None
            packaged = self._packaged.get(said)
            if added is not None or (packaged is not None and (slug or aliases.USER not in packaged.key)):
                return aliases.resolve(said, slug, {} if added is None else {said: added}, self._packaged)
        return None

    def packaged_alias(self, text: str, slug: str | None) -> str | None:
        """The key that a phrase is a packaged alias for, without a look at those that were added."""
        return aliases.resolve(text, slug, {}, self._packaged)

    def _added(self, tx: Tx, phrase: str) -> str | None:
        """The target that the newest event gives a phrase; the row beside it must say the same.

        A row that no event speaks of is nobody's alias. One that is gone or was changed stops the look-up, for whoever
        did that meant another key to be read; once an admin's word has set it aside, the event decides.
        """
        row = tx.aliases.row(phrase)
        for _ in range(LOOKS):
            newest = self._slots.bound.newest(tx, f"alias/{phrase}")
            if newest is None:
                return None
            said = newest[1]["payload"]
            target: str = said["target"]
            if row is not None and (row.target, row.source) == (target, said["source"]):
                return target
            row = tx.aliases.row(phrase)
        damage = rows.missing_row(rows.ALIASES, phrase)
        if row is not None:
            damage = rows.changed_row(rows.ALIASES, phrase, rows.alias_hash(row))
        if damage.finding_id not in self._slots.bound.set_aside(tx):
            raise IntegrityFailure(f"the alias {'is gone' if row is None else 'was changed'}; run verify")
        return target

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        """The attributes of people that the packaged aliases speak of."""
        targets = [keys.parse_key(target.key.replace(aliases.USER, "user_x")) for target in self._packaged.values()]
        return frozenset(key.attribute for key in targets if (key.scope, key.entity_type) == ("user", "profile"))

    def is_in_vocabulary(self, key: str) -> bool:
        """Say whether a key of a person has a name that everybody's may have, whatever they say."""
        parts = keys.parse_key(key)
        return (parts.scope, parts.entity_type) == ("user", "profile") and parts.attribute in self._vocabulary

    def add_alias(self, text: str, key: str, source: str) -> dict[str, Any]:
        """Register a phrase as an alias for a key; admins only."""
        if source not in ("system_admin", "system"):
            raise PermissionDenied(actor=source, action="sem_add_alias")
        phrase, target = aliases.check_entry(text, key)
        if is_personal(target):
            raise InvalidInput("key must not contain personal data: it is stored unencrypted on the ledger")
        journal = VerbJournal(self._recorder, "sem_add_alias")

        def unit(tx: Tx) -> dict[str, Any]:
            row = AliasRow(phrase, target, source, iso_us(self._world.clock.now()))
            tx.aliases.put(phrase, target, source, row.added_at)
            named = [rows.reference(rows.ALIASES, phrase, rows.alias_hash(row))]
            journal.event(tx, "ALIAS_ADDED", {"phrase": phrase, "target": target, "source": source, "records": named})
            return {"success": True, "applied": True, "error_code": None}

        flags = flags_in_json(self._world.keys, phrase, "phrase", journal.job_seed)
        if flags:
            wanted = FlaggedWrite(key=target, person=None, flags=tuple(flags), consent_id=None)
            return self._failures.refuse(journal, blocked(wanted), {"key": target})
        return self._failures.put_answer(journal, target, unit)
