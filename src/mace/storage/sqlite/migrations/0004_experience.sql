-- Experience: projected from the ledger's events up to the cursor, and could be projected again.

-- Rows are added and deleted, never edited: what changes about them lies in tables of its own.
create table megrams (
  megram_id text not null unique,      -- begins with created_us in hex: ids sort as instants do
  pair blob not null,                  -- digest of space and entity
  level text not null,
  created_us integer not null,
  space text not null,
  entity text not null,
  content blob not null,               -- sealed
  key_refs text not null,              -- JSON: the keys it is sealed under, the outermost first
  state text not null,
  f real not null,
  sigma real not null,
  k real not null,
  place integer not null,              -- the ledger's position of the event that brought it
  marked integer not null
) strict;
create index megrams_by_pair on megrams (pair, level, megram_id);

create table megram_retirements (megram_id text primary key, change_id text not null) strict, without rowid;
create table megram_recalls (megram_id text primary key, recalled_us integer not null) strict, without rowid;

create table experience_pairs (
  pair blob not null unique,
  space text not null,
  entity text not null,
  long_tags integer not null,          -- 1: too long for an index of PostgreSQL; here for the statements' sake
  state blob not null,
  due_us integer not null
) strict;
create index experience_pairs_by_tags on experience_pairs (space, entity) where long_tags = 0;
create index experience_pairs_long on experience_pairs (pair) where long_tags = 1;
create index experience_pairs_due on experience_pairs (due_us, pair);

create table experience_changes (
  change_id text primary key,
  kind text not null,
  space text not null,
  entity text not null,
  place integer not null,
  body blob not null,                  -- canonical JSON with all that undoing it needs
  undone_by text not null
) strict;
create index experience_changes_by_place on experience_changes (place, change_id);

create table experience_cursor (only_row integer primary key check (only_row = 1), position integer not null) strict;

create trigger megrams_keep_update before update on megrams
begin select raise(abort, 'megrams are added and deleted, never edited: UPDATE refused'); end;

-- The events that are projected, in their order; whoever asks must repeat the list word for word.
-- Not as a list in brackets: SQLite would build it anew for every event of any kind that is inserted.
create index events_of_experience on events (position)
  where event_type = 'MEGRAM_WRITTEN' or event_type = 'EXPERIENCE_PROMOTED' or
        event_type = 'EXPERIENCE_DEMOTED' or event_type = 'EXPERIENCE_FORGOTTEN' or
        event_type = 'EXPERIENCE_ROLLED_BACK' or event_type = 'EXPERIENCE_IMPORTED';
