-- Facts: one current value per key, every earlier one as history; names, aliases, jobs.

create table facts (
  fact_key text primary key,
  version integer not null,            -- the row of sem_history that is current
  content blob not null,               -- canonical {meta, notes, value}; sealed where key_ref is set
  key_ref text not null,
  source text not null,
  written_at text not null,
  deleted integer not null
) strict, without rowid;

-- History and audit in one row: who wrote what when; the content is sealed where it is a person's.
create table sem_history (
  fact_key text not null,
  version integer not null,
  content blob not null,
  key_ref text not null,
  source text not null,
  actor text not null,
  written_at text not null,
  value_hash text not null,
  applied integer not null,
  deleted integer not null,
  stream text not null
) strict;
-- Rows are only ever added, so they lie in the order they came; in the order of their keys every put would move others.
create unique index sem_history_by_key on sem_history (fact_key, version);

create table key_registry (slot text primary key, identity text not null) strict, without rowid;

create table aliases (phrase text primary key, target text not null, source text not null, added_at text not null)
  strict, without rowid;

create table idempotency (token text primary key, request_hash text not null, answer blob not null)
  strict, without rowid;

create table jobs (
  arrival integer primary key,
  stream text not null unique,
  kind text not null,
  status text not null,
  opened_at text not null,
  person text not null,
  log_id text not null
) strict;

create trigger sem_history_keep_update before update on sem_history
begin select raise(abort, 'sem_history is append-only: UPDATE refused'); end;
create trigger sem_history_keep_delete before delete on sem_history
begin select raise(abort, 'sem_history is append-only: DELETE refused'); end;
create trigger key_registry_keep_update before update on key_registry
begin select raise(abort, 'key_registry is append-only: UPDATE refused'); end;
create trigger key_registry_keep_delete before delete on key_registry
begin select raise(abort, 'key_registry is append-only: DELETE refused'); end;
