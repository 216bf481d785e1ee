"""Looking a subject up in what is stored about the world: its entity, by any of its names, and its attributes.

A look reads the index of what events speak of, a few rows for each name; no list of all facts is made. What belongs to
a person is not looked at: an alias for such a key counts only for the person whose job this is.
"""

from typing import Any

from mace.engine.facts.verbs import FactVerbs
from mace.memory.keys import parse_key, user_of_key
from mace.memory.spelling import one_spelling
from mace.storage.ports import Tx

MAX_SUBJECTS = 48
_MAX_TYPES = 16
_SCOPE = "world"
_ARTICLES = ("the ", "a ", "an ")


class KnowledgeLook:
    """One look of one question."""

    def __init__(self, facts: FactVerbs, tx: Tx, person: str | None) -> None:
        self._facts = facts
        self._tx = tx
        self._person = person
        self._types = self._entity_types()
        self._has_aliases = tx.events.last_under("alias/") is not None

    def of(self, name: str) -> list[dict[str, Any]]:
        """What is stored under a name: `{subject, entity, attributes, alias, by_alias}`, by type."""
        found: dict[str, dict[str, Any]] = {}
        alias = self._alias(name)
        if alias is not None:
            parts = parse_key(alias)
            entity = f"{parts.scope}/{parts.entity_type}/{parts.entity_id}"
            known = {"subject": name, "entity": entity, "by_alias": True}
            found[f"{entity} by alias"] = {**known, "attributes": [], "alias": alias}
            if parts.scope == _SCOPE:
                self._add(found, name, entity, by_alias=True)
        for entity_type in self._types:
            for said in dict.fromkeys((name, one_spelling(name.lower()))):
                try:
                    key = self._facts.key_to_read(self._tx, _SCOPE, entity_type, said, "definition", None)
                except ValueError:  # no name that could be stored
                    continue
                self._add(found, name, key.rsplit("/", 1)[0])
        return list(found.values())

    def _add(self, found: dict[str, dict[str, Any]], name: str, entity: str, by_alias: bool = False) -> None:
        if entity in found:
            found[entity]["by_alias"] &= by_alias
            return
        attributes = self._facts.attributes_of(self._tx, entity)
        if attributes:
            known = {"subject": name, "entity": entity, "by_alias": by_alias}
            found[entity] = {**known, "attributes": attributes, "alias": None}

    def _alias(self, name: str) -> str | None:
        """The key that a name is an alias for, with or without the article it was registered with."""
        for said in (name, *(article + name for article in _ARTICLES)):
            if self._has_aliases:
                key = self._facts.alias_for(self._tx, said, self._person)
            else:
                key = self._facts.packaged_alias(said, self._person)
            if key is not None and (parse_key(key).scope != "user" or user_of_key(key) == self._person):
                return key
        return None

    def _entity_types(self) -> list[str]:
        """The types of the world's facts, `fact` first: one look at the index for each."""
        types: list[str] = []
        under = f"sem_history/{_SCOPE}/"
        after = (under, -1)
        while len(types) < _MAX_TYPES:
            page = self._tx.subjects.scan(after, 1)
            if not page or not page[0][0].startswith(under):
                break
            types.append(page[0][0].removeprefix(under).split("/", 1)[0])
            after = (f"{under}{types[-1]}0", -1)  # the character after `/`
        return sorted(types, key=lambda name: (name != "fact", name))
