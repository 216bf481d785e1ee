-- Facts: one current value per key, every earlier one as history; names, aliases, jobs.

create table facts (
  fact_key text collate "C" primary key,
  version bigint not null,             -- the row of sem_history that is current
  content bytea not null,              -- canonical {meta, notes, value}; sealed where key_ref is set
  key_ref text not null,
  source text not null,
  written_at text not null,
  deleted smallint not null
);

-- History and audit in one row: who wrote what when; the content is sealed where it is a person's.
create table sem_history (
  fact_key text collate "C" not null,
  version bigint not null,
  content bytea not null,
  key_ref text not null,
  source text not null,
  actor text not null,
  written_at text not null,
  value_hash text not null,
  applied smallint not null,
  deleted smallint not null,
  stream text not null,
  primary key (fact_key, version)
);

create table key_registry (slot text collate "C" primary key, identity text not null);

create table aliases (phrase text primary key, target text not null, source text not null, added_at text not null);

create table idempotency (token text primary key, request_hash text not null, answer bytea not null);

create table jobs (
  arrival bigint generated always as identity,
  stream text primary key,
  kind text not null,
  status text not null,
  opened_at text not null,
  person text not null,
  log_id text not null
);
create index jobs_by_arrival on jobs (arrival);

create trigger sem_history_keep before update or delete or truncate on sem_history
  for each statement execute function mace_refuse_change();
create trigger key_registry_keep before update or delete or truncate on key_registry
  for each statement execute function mace_refuse_change();
