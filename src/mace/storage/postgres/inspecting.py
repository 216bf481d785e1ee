"""What is wrong with the tables of a PostgreSQL database: their schema, and rows that cannot be what they must be.

The server keeps types and encoding as long as its tables are as MACE made them, so rows are looked at one by one only
where they are not. `schema.json` holds what the migrations make, as the server's catalogue words it; whoever adds a
migration makes it anew (`tests/make_postgres_schema.py`). Damaged pages are the server's to find (`amcheck`); a table
it cannot read is said so.
"""

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import psycopg

from mace.storage.ports import Damage
from mace.storage.sql import shape
from mace.storage.sql.salvage import Salvaged
from mace.storage.sql.shape import Table

Entry = tuple[str, str, str, str]  # kind, table, name, words
_FETCH = 500

# Every part of the schema that touches our tables, whoever made it: kind, table, name, and the words for it.
_CATALOGUE = """
with ours as (
  select c.oid, c.relname, c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity
  from pg_class c where c.oid in (select to_regclass(name)::oid from unnest(%(tables)s::text[]) name)
)
select 'table', relname, relname,
       'kind ' || relkind::text || ', persistence ' || relpersistence::text
       || case when relrowsecurity or relforcerowsecurity then ', row security' else '' end
from ours
union all
select 'column', relname, attname,
       format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end
       || case when attcollation <> 0 and attcollation <> 100 then ' collate ' || l.collname else '' end
       || case when attidentity <> '' then ' identity ' || attidentity::text else '' end
       || case when attgenerated <> '' then ' generated' else '' end
       || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
from ours join pg_attribute a on a.attrelid = ours.oid and a.attnum > 0 and not a.attisdropped
left join pg_collation l on l.oid = a.attcollation
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
union all
select 'constraint', relname, conname, pg_get_constraintdef(k.oid)
from ours join pg_constraint k on k.conrelid = ours.oid and k.contype in ('c', 'f', 'p', 'u', 'x')
union all
select 'index', ours.relname, i.relname,
       regexp_replace(pg_get_indexdef(i.oid), ' ON (ONLY )?\\S+ USING ', ' USING ')
       || case when x.indisvalid and x.indisready then '' else ' invalid' end
from ours join pg_index x on x.indrelid = ours.oid join pg_class i on i.oid = x.indexrelid
union all
select 'trigger', relname, tgname,
       regexp_replace(pg_get_triggerdef(t.oid, true), ' ON \\S+ ', ' ') || ' enabled ' || tgenabled::text
from ours join pg_trigger t on t.tgrelid = ours.oid and not t.tgisinternal
union all
select 'function', relname, p.proname, p.prosrc
from ours join pg_trigger t on t.tgrelid = ours.oid and not t.tgisinternal join pg_proc p on p.oid = t.tgfoid
union all
select 'rule', relname, r.rulename, pg_get_ruledef(r.oid)
from ours join pg_rewrite r on r.ev_class = ours.oid
union all
select 'policy', relname, polname, coalesce(pg_get_expr(polqual, polrelid), '')
from ours join pg_policy y on y.polrelid = ours.oid
union all
select 'child', relname, h.inhrelid::regclass::text, 'inherits'
from ours join pg_inherits h on h.inhparent = ours.oid
union all
select distinct 'view', ours.relname, v.oid::regclass::text, 'reads it'
from ours join pg_depend d on d.refobjid = ours.oid and d.classid = 'pg_rewrite'::regclass
join pg_rewrite r on r.oid = d.objid join pg_class v on v.oid = r.ev_class and v.oid <> ours.oid
order by 1, 2, 3
"""


def describe(connection: psycopg.Connection[Any]) -> list[Entry]:
    """The schema of our tables as the server's catalogue words it."""
    rows = connection.execute(_CATALOGUE, {"tables": [*shape.tables(), *_OWN]}).fetchall()
    return sorted({(str(kind), str(table), str(name), str(words)) for kind, table, name, words in rows})


_OWN = ("ledger_head", shape.STEPS, "mace_people.person_keys", "mace_people.master")


@cache
def expected() -> dict[tuple[str, str, str], str]:
    """What the migrations make, by kind, table and name."""
    text = resources.files("mace.storage.postgres").joinpath("schema.json").read_text("utf-8")
    return {(kind, table, name): words for kind, table, name, words in json.loads(text)}


def compare(held: list[Entry]) -> Iterator[Damage]:
    """Compare a schema with what the migrations make."""
    wanted = dict(expected())
    for kind, table, name, words in held:
        before = wanted.pop((kind, table, name), None)
        if before is None:
            yield _changed(kind, table, name, f"{kind} {name} on {table} is not MACE's", words)
        elif before != words:
            yield _changed(kind, table, name, f"{kind} {name} of {table} is not as MACE made it", words)
    for kind, table, name in wanted:
        yield _changed(kind, table, name, f"{kind} {name} of {table} is gone")


def _changed(kind: str, table: str, name: str, detail: str, words: str = "") -> Damage:
    where = {"table": table, "type": kind, "name": name}
    hides = kind not in ("trigger", "function", "index", "view")
    return Damage("SCHEMA_CHANGED", where, detail, {"sql": words} if words else {}, hides_rows=hides)


def inspect(connection: psycopg.Connection[Any], *, quick: bool) -> list[Damage]:
    """Look at the schema and, unless `quick`, at the rows; the connection is in a transaction."""
    found = [*compare(describe(connection)), *_steps(connection)]
    if not quick:
        odd = {item.where["table"] for item in found if item.hides_rows}
        for table in shape.tables().values():
            if table.name in odd or not _is_sound(connection, table):
                found += [item for item in _rows(connection, table) if isinstance(item, Damage)]
    return found


def _steps(connection: psycopg.Connection[Any]) -> Iterator[Damage]:
    try:
        with connection.transaction():
            rows = connection.execute("select number, name, sha256 from schema_steps").fetchall()
    except (psycopg.Error, UnicodeDecodeError):
        return  # it is gone, which is named with the schema
    wrong = shape.wrong_steps(rows, "mace.storage.postgres")
    if wrong is not None:
        yield wrong


def salvage(connection: psycopg.Connection[Any]) -> Salvaged:
    """Copy every row that can be read; the connection is in a transaction."""
    copy = Salvaged(_size(connection))
    try:
        for table in shape.tables().values():
            copy.take(table, (item for item in _rows(connection, table) if not isinstance(item, Damage)))
        copy.take_apart(_apart(connection))
    except BaseException:
        copy.close()
        raise
    return copy


def _apart(connection: psycopg.Connection[Any]) -> list[tuple[str, bytes]]:
    """The keys that are kept apart, if they can be read."""
    try:
        with connection.transaction():
            rows = connection.execute("select ref, wrapped from mace_people.person_keys").fetchall()
    except (psycopg.Error, UnicodeDecodeError):
        return []
    return [(ref, wrapped) for ref, wrapped in rows if isinstance(ref, str) and isinstance(wrapped, bytes)]


def _size(connection: psycopg.Connection[Any]) -> int:
    try:
        with connection.transaction():
            row = connection.execute("select max(size) from ledger_head").fetchone()
    except psycopg.Error:
        return 0
    return int(row[0]) if row is not None and isinstance(row[0], int) else 0


def are_sound(connection: psycopg.Connection[Any]) -> bool:
    """Whether every row of every table can be read."""
    odd = {item.where["table"] for item in compare(describe(connection)) if item.hides_rows}
    return not odd and all(_is_sound(connection, table) for table in shape.tables().values())


def _is_sound(connection: psycopg.Connection[Any], table: Table) -> bool:
    """The quick look: the table can be read to its end, has no null, and flags are 0 or 1."""
    wrong = [f"{column.name} is null" for column in table.columns]
    wrong += [f"{column.name} not in (0, 1)" for column in table.columns if column.is_flag]
    asked = f"select count(*) from {table.name} where {' or '.join(wrong)}"  # noqa: S608 - our own names
    try:
        with connection.transaction():
            row = connection.execute(asked.encode()).fetchone()
    except (psycopg.Error, UnicodeDecodeError):
        return False
    return row is not None and row[0] == 0


def _rows(connection: psycopg.Connection[Any], table: Table) -> Iterator[tuple[Any, ...] | Damage]:
    """Every row of a table: as it is, or what is wrong with it."""
    columns = ", ".join(column.name for column in table.columns)
    asked = f"select {columns} from {table.name}"  # noqa: S608 - our own names
    try:
        with connection.transaction(), connection.cursor("salvage") as cursor:
            cursor.itersize = _FETCH
            cursor.execute(asked.encode())
            for row in cursor:
                yield shape.unreadable(table, row) or row
    except (psycopg.Error, UnicodeDecodeError) as error:
        detail = f"{table.name} cannot be read to its end: {type(error).__name__}"
        yield Damage("NOT_CHECKED", {"table": table.name}, detail)
