-- The ledger. Rows of these tables are never changed or deleted; the triggers say so to everyone.

create table events (
  position integer primary key,        -- place in the Merkle tree, from 0, without gaps
  stream text not null,
  sequence_index integer not null,
  event_id blob not null,
  event_type text not null,
  body blob not null,                  -- the canonical JSON that was hashed
  hash blob not null,
  signature text not null
) strict;
create unique index events_by_stream on events (stream, sequence_index);
create index events_by_id on events (event_id);
create index events_by_type on events (event_type, position)
  where event_type in ('INTEGRITY_FAILURE', 'INCIDENT_CREATED', 'EPOCH_STARTED', 'INTEGRITY_ATTESTED',
                       'ADMIN_ALERT', 'FORCE_HALT_REPLAY', 'REPLAY_UNHALTED');

-- No table of the ledger has a column that nothing signs: an order of arrival would be one.
create table streams (
  stream text primary key,
  job_seed text not null,
  trace_id text not null,
  started_at text not null
) strict, without rowid;
create index streams_by_time on streams (started_at, stream);

create table records (
  kind text not null,
  record_key text not null,            -- within its kind, keys give the order
  parent text not null,
  body blob not null,
  signature text not null,
  primary key (kind, record_key)
) strict;
create index records_by_parent on records (kind, parent, record_key) where parent <> '';

create table reflective_log_stage0 (
  log_id text not null primary key,
  created_at text not null,
  source text not null,
  query_id text not null,
  query_text_hash text not null,
  qcp_summary text not null,
  agents_invoked text not null,
  agent_outputs text not null,
  council_votes text not null,
  final_answer text not null,
  final_confidence real not null,
  repair_loops integer not null,
  cache_hit integer not null,
  sem_snapshot_hash text not null,
  runtime_metrics text not null,
  system_version text not null,
  signature text not null
) strict;
create index reflective_log_by_query on reflective_log_stage0 (query_id);
create index reflective_log_by_time on reflective_log_stage0 (created_at, log_id);

-- Derived from events; may be built again at any time.
create table tiles (
  level integer not null,
  tile_index integer not null,
  root blob not null,
  primary key (level, tile_index)
) strict, without rowid;

-- Wrapped keys and sealed bytes: rows may vanish here, and only here (erasure).
create table vault_keys (
  ref text primary key,
  parent text not null,
  wrapped blob not null
) strict, without rowid;
create index vault_keys_by_parent on vault_keys (parent) where parent <> '';
create table vault_blobs (
  ref text primary key,
  key_ref text not null,
  sealed blob not null
) strict;

create table notes (name text primary key, value text not null) strict, without rowid;

create trigger events_keep_update before update on events
begin select raise(abort, 'events is append-only: UPDATE refused'); end;
create trigger events_keep_delete before delete on events
begin select raise(abort, 'events is append-only: DELETE refused'); end;
create trigger streams_keep_update before update on streams
begin select raise(abort, 'streams is append-only: UPDATE refused'); end;
create trigger streams_keep_delete before delete on streams
begin select raise(abort, 'streams is append-only: DELETE refused'); end;
create trigger records_keep_update before update on records
begin select raise(abort, 'records is append-only: UPDATE refused'); end;
create trigger records_keep_delete before delete on records
begin select raise(abort, 'records is append-only: DELETE refused'); end;
create trigger reflective_log_keep_update before update on reflective_log_stage0
begin select raise(abort, 'reflective_log_stage0 is immutable: UPDATE refused, create an amendment'); end;
create trigger reflective_log_keep_delete before delete on reflective_log_stage0
begin select raise(abort, 'reflective_log_stage0 is immutable: DELETE refused'); end;
