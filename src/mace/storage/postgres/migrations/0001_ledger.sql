-- The ledger. Rows of these tables are never changed or deleted; the triggers say so to everyone.

create table events (
  position bigint primary key,         -- place in the Merkle tree, from 0, without gaps
  stream text not null,
  sequence_index bigint not null,
  event_id bytea not null,
  event_type text not null,
  body bytea not null,                 -- the canonical JSON that was hashed
  hash bytea not null,
  signature text not null
);
create unique index events_by_stream on events (stream, sequence_index);
create index events_by_id on events (event_id);
create index events_by_type on events (event_type, position)
  where event_type in ('INTEGRITY_FAILURE', 'INCIDENT_CREATED', 'EPOCH_STARTED', 'INTEGRITY_ATTESTED',
                       'ADMIN_ALERT', 'FORCE_HALT_REPLAY', 'REPLAY_UNHALTED');

-- One row: how many positions were given. Locked once per batch, at its very end.
create table ledger_head (only_row boolean primary key default true check (only_row), size bigint not null);
insert into ledger_head (size) values (0);

-- No table of the ledger has a column that nothing signs: an order of arrival would be one.
create table streams (
  stream text collate "C" primary key,
  job_seed text not null,
  trace_id text not null,
  started_at text collate "C" not null
);
create index streams_by_time on streams (started_at, stream);

create table records (
  kind text collate "C" not null,
  record_key text collate "C" not null,  -- within its kind, keys give the order
  parent text collate "C" not null,
  body bytea not null,
  signature text not null,
  primary key (kind, record_key)
);
create index records_by_parent on records (kind, parent, record_key) where parent <> '';

-- `json`, not `jsonb`: it keeps the bytes that were signed.
create table reflective_log_stage0 (
  log_id text collate "C" primary key,
  created_at text collate "C" not null,
  source text not null,
  query_id text not null,
  query_text_hash text not null,
  qcp_summary json not null,
  agents_invoked json not null,
  agent_outputs json not null,
  council_votes json not null,
  final_answer json not null,
  final_confidence double precision not null,
  repair_loops bigint not null,
  cache_hit smallint not null,
  sem_snapshot_hash text not null,
  runtime_metrics json not null,
  system_version text not null,
  signature text not null
);
create index reflective_log_by_query on reflective_log_stage0 (query_id);
create index reflective_log_by_time on reflective_log_stage0 (created_at, log_id);

-- Derived from events; may be built again at any time.
create table tiles (
  level integer not null,
  tile_index bigint not null,
  root bytea not null,
  primary key (level, tile_index)
);

-- Wrapped keys and sealed bytes: rows may vanish here, and only here (erasure).
create table vault_keys (
  ref text collate "C" primary key,
  parent text not null,
  wrapped bytea not null
);
create index vault_keys_by_parent on vault_keys (parent) where parent <> '';
create table vault_blobs (
  ref text primary key,
  key_ref text not null,
  sealed bytea not null
);

create table notes (name text primary key, value text not null);

create function mace_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end $$;
create trigger events_keep before update or delete or truncate on events
  for each statement execute function mace_refuse_change();
create trigger streams_keep before update or delete or truncate on streams
  for each statement execute function mace_refuse_change();
create trigger records_keep before update or delete or truncate on records
  for each statement execute function mace_refuse_change();
create trigger reflective_log_keep before update or delete or truncate on reflective_log_stage0
  for each statement execute function mace_refuse_change();
