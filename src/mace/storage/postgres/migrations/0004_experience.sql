-- Experience: projected from the ledger's events up to the cursor, and could be projected again.

-- Rows are added and deleted, never edited: what changes about them lies in tables of its own.
create table megrams (
  megram_id text collate "C" primary key,  -- begins with created_us in hex: ids sort as instants do
  pair bytea not null,                 -- digest of space and entity: tags may be too long for an index
  level text collate "C" not null,
  created_us bigint not null,
  space text collate "C" not null,
  entity text collate "C" not null,
  content bytea not null,              -- sealed
  key_refs text not null,              -- JSON: the keys it is sealed under, the outermost first
  state text not null,
  f double precision not null,
  sigma double precision not null,
  k double precision not null,
  place bigint not null,               -- the ledger's position of the event that brought it
  marked smallint not null
);
create index megrams_by_pair on megrams (pair, level, megram_id);

create table megram_retirements (megram_id text collate "C" primary key, change_id text not null);
create table megram_recalls (megram_id text collate "C" primary key, recalled_us bigint not null);

create table experience_pairs (
  pair bytea primary key,
  space text collate "C" not null,
  entity text collate "C" not null,
  long_tags smallint not null,         -- 1: together too long for an index
  state bytea not null,
  due_us bigint not null
);
create index experience_pairs_by_tags on experience_pairs (space, entity) where long_tags = 0;
create index experience_pairs_long on experience_pairs (pair) where long_tags = 1;
create index experience_pairs_due on experience_pairs (due_us, pair);

create table experience_changes (
  change_id text collate "C" primary key,
  kind text not null,
  space text not null,
  entity text not null,
  place bigint not null,
  body bytea not null,                 -- canonical JSON with all that undoing it needs
  undone_by text not null
);
create index experience_changes_by_place on experience_changes (place, change_id);

create table experience_cursor (only_row smallint primary key check (only_row = 1), position bigint not null);

create trigger megrams_keep before update on megrams
  for each statement execute function mace_refuse_change();

-- The events that are projected, in their order; whoever asks must repeat the list word for word.
create index events_of_experience on events (position)
  where event_type = 'MEGRAM_WRITTEN' or event_type = 'EXPERIENCE_PROMOTED' or
        event_type = 'EXPERIENCE_DEMOTED' or event_type = 'EXPERIENCE_FORGOTTEN' or
        event_type = 'EXPERIENCE_ROLLED_BACK' or event_type = 'EXPERIENCE_IMPORTED';
