-- Statements both engines run as they are. `?` is a parameter; each statement is found by its name.

-- name: event_head
select sequence_index, hash from events where stream = ? order by sequence_index desc limit 1
-- name: event_insert
insert into events (position, stream, sequence_index, event_id, event_type, body, hash, signature)
values (?, ?, ?, ?, ?, ?, ?, ?)
-- name: event_at
select position, stream, sequence_index, event_id, event_type, body, hash, signature
from events where stream = ? and sequence_index = ?
-- name: event_by_id
select position, stream, sequence_index, event_id, event_type, body, hash, signature
from events where event_id = ? order by position
-- name: event_of_stream
select position, stream, sequence_index, event_id, event_type, body, hash, signature
from events where stream = ? and sequence_index >= ? order by sequence_index limit ?
-- name: event_of_type
select position, stream, sequence_index, event_id, event_type, body, hash, signature
from events where event_type = ? order by position desc limit ?
-- name: event_scan
select position, stream, sequence_index, event_id, event_type, body, hash, signature
from events where position >= ? and position < ? order by position
-- name: event_hashes
select hash from events where position >= ? and position < ? order by position

-- name: stream_get
select stream, job_seed, trace_id, started_at from streams where stream = ?
-- name: stream_add
insert into streams (stream, job_seed, trace_id, started_at) values (?, ?, ?, ?)
-- name: stream_recent
select stream, job_seed, trace_id, started_at from streams order by arrival desc limit ?

-- name: tile_get
select root from tiles where level = ? and tile_index = ?
-- name: tile_put
insert into tiles (level, tile_index, root) values (?, ?, ?) on conflict (level, tile_index) do nothing
-- name: tile_count
select count(*) from tiles where level = ?
-- name: tile_scan
select tile_index, root from tiles where level = ? and tile_index >= ? order by tile_index limit ?

-- name: record_add
insert into records (kind, record_key, parent, body, signature) values (?, ?, ?, ?, ?)
-- name: record_get
select kind, record_key, parent, body, signature, arrival from records where kind = ? and record_key = ?
-- name: record_children
select kind, record_key, parent, body, signature, arrival from records
where kind = ? and parent = ? order by arrival
-- name: record_scan
select kind, record_key, parent, body, signature, arrival from records
where kind = ? and arrival > ? order by arrival limit ?
-- name: record_last
select kind, record_key, parent, body, signature, arrival from records
where kind = ? order by arrival desc limit 1

-- name: record_scan_all
select kind, record_key, parent, body, signature, arrival from records where arrival > ? order by arrival limit ?

-- name: log_add
insert into reflective_log_stage0 (log_id, created_at, source, query_id, query_text_hash, qcp_summary, agents_invoked,
  agent_outputs, council_votes, final_answer, final_confidence, repair_loops, cache_hit, sem_snapshot_hash,
  runtime_metrics, system_version, signature)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: log_get
select log_id, created_at, source, query_id, query_text_hash, qcp_summary, agents_invoked, agent_outputs,
  council_votes, final_answer, final_confidence, repair_loops, cache_hit, sem_snapshot_hash, runtime_metrics,
  system_version, signature
from reflective_log_stage0 where log_id = ?
-- name: log_scan
select log_id, created_at, source, query_id, query_text_hash, qcp_summary, agents_invoked, agent_outputs,
  council_votes, final_answer, final_confidence, repair_loops, cache_hit, sem_snapshot_hash, runtime_metrics,
  system_version, signature
from reflective_log_stage0 where log_id > ? order by log_id limit ?
-- name: log_recent
select log_id, created_at, source, query_id, query_text_hash, qcp_summary, agents_invoked, agent_outputs,
  council_votes, final_answer, final_confidence, repair_loops, cache_hit, sem_snapshot_hash, runtime_metrics,
  system_version, signature
from reflective_log_stage0 order by arrival desc limit ?

-- name: vault_key
select parent, wrapped from vault_keys where ref = ?
-- name: vault_add_key
insert into vault_keys (ref, parent, wrapped) values (?, ?, ?)
-- name: vault_drop_key
delete from vault_keys where ref = ? returning ref
-- name: vault_keys_under
select ref from vault_keys where parent = ? order by ref
-- name: vault_scan_keys
select ref, parent, wrapped from vault_keys where ref > ? order by ref limit ?
-- name: vault_blob
select key_ref, sealed from vault_blobs where ref = ?
-- name: vault_put_blob
insert into vault_blobs (ref, key_ref, sealed) values (?, ?, ?) on conflict (ref) do nothing

-- name: note_get
select value from notes where name = ?
-- name: note_put
insert into notes (name, value) values (?, ?) on conflict (name) do update set value = excluded.value
