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
-- name: event_of_type_before
select position, stream, sequence_index, event_id, event_type, body, hash, signature
from events where event_type = ? and position < ? order by position desc limit ?
-- name: event_scan
select position, stream, sequence_index, event_id, event_type, body, hash, signature
from events where position >= ? order by position limit ?
-- name: event_hashes
select hash from events where position >= ? and position < ? order by position

-- name: subject_insert
insert into event_subjects (subject, position) values (?, ?)
-- name: subject_scan
select subject, position from event_subjects where (subject, position) > (?, ?) order by subject, position limit ?
-- name: subject_has
select 1 from event_subjects where subject = ? and position = ?
-- name: subject_known
select distinct subject from event_subjects where subject in
(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
 ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: subject_any
select 1 from event_subjects where subject = ? limit 1
-- name: subject_drop
delete from event_subjects where subject = ? and position = ?
-- name: event_about
select e.position, e.stream, e.sequence_index, e.event_id, e.event_type, e.body, e.hash, e.signature
from event_subjects s join events e on e.position = s.position
where s.subject = ? order by s.position desc limit ?
-- name: event_about_under
select e.position, e.stream, e.sequence_index, e.event_id, e.event_type, e.body, e.hash, e.signature
from event_subjects s join events e on e.position = s.position
where s.subject > ? and s.subject < ? order by s.position
-- name: event_about_between
select distinct e.position, e.stream, e.sequence_index, e.event_id, e.event_type, e.body, e.hash, e.signature
from event_subjects s join events e on e.position = s.position
where s.subject >= ? and s.subject <= ? order by e.position
-- name: subject_last_under
select subject from event_subjects where subject > ? and subject < ? order by subject desc limit 1
-- name: signing_number
select key_number from ledger_head
-- name: signing_set
update ledger_head set key_number = ? returning key_number
-- name: signing_begin
insert into ledger_head (only_row, key_number) values (1, ?)

-- name: tile_get
select root from tiles where level = ? and tile_index = ?
-- name: tile_put
insert into tiles (level, tile_index, root) values (?, ?, ?)
on conflict (level, tile_index) do update set root = excluded.root
-- name: tile_scan
select tile_index, root from tiles where level = ? and tile_index >= ? order by tile_index limit ?
-- name: tile_scan_all
select level, tile_index, root from tiles where (level, tile_index) > (?, ?) order by level, tile_index limit ?
-- name: tile_clear
delete from tiles

-- name: record_add
insert into records (kind, record_key, parent, body, signature) values (?, ?, ?, ?, ?)
-- name: record_get
select kind, record_key, parent, body, signature from records where kind = ? and record_key = ?
-- name: record_children
select kind, record_key, parent, body, signature from records where kind = ? and parent = ? order by record_key
-- name: record_scan
select kind, record_key, parent, body, signature from records
where kind = ? and record_key > ? order by record_key limit ?
-- name: record_scan_all
select kind, record_key, parent, body, signature from records
where (kind, record_key) > (?, ?) order by kind, record_key limit ?
-- name: record_last
select kind, record_key, parent, body, signature from records where kind = ? order by record_key desc limit 1
-- name: record_drop
delete from records where kind = ? and record_key = ?

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
from reflective_log_stage0 order by created_at desc, log_id desc limit ?
-- name: log_recent_before
select log_id, created_at, source, query_id, query_text_hash, qcp_summary, agents_invoked, agent_outputs,
  council_votes, final_answer, final_confidence, repair_loops, cache_hit, sem_snapshot_hash, runtime_metrics,
  system_version, signature
from reflective_log_stage0
where (created_at, log_id) < (select created_at, log_id from reflective_log_stage0 where log_id = ?)
order by created_at desc, log_id desc limit ?

-- name: log_count
select count(*) from reflective_log_stage0

-- name: vault_key
select parent, wrapped from vault_keys where ref = ?
-- name: vault_add_key
insert into vault_keys (ref, parent, wrapped) values (?, ?, ?)
-- name: vault_drop_key
delete from vault_keys where ref = ? returning ref
-- name: vault_keys_under
select ref from vault_keys where parent = ? order by ref
-- name: vault_keys_of
select ref from vault_keys where parent = ? and parent <> '' order by ref
-- name: vault_keys_of_kind
select ref from vault_keys where parent = ? and parent <> '' and ref >= ? and ref < ? order by ref
-- name: vault_scan_keys
select ref, parent, wrapped from vault_keys
where ref > ? and not (ref >= 'person/' and ref < 'person0') and not (ref >= 'forensic/' and ref < 'forensic0')
order by ref limit ?
-- name: vault_misplaced
select ref, parent, wrapped from vault_keys
where ref > ? and ((ref >= 'person/' and ref < 'person0') or (ref >= 'forensic/' and ref < 'forensic0'))
order by ref limit ?
-- name: people_token
select token from people_head
-- name: people_set_token
insert into people_head (only_row, token) values (1, ?) on conflict (only_row) do update set token = excluded.token
-- name: vault_blob
select key_ref, sealed from vault_blobs where ref = ?
-- name: vault_put_blob
insert into vault_blobs (ref, key_ref, sealed) select ?, ?, ?
where not exists (select 1 from vault_blobs where ref = ?) on conflict (ref) do nothing returning 1
-- name: vault_scan_blobs
select ref, key_ref, sealed from vault_blobs where ref > ? order by ref limit ?

-- name: note_get
select value from notes where name = ?
-- name: note_put
insert into notes (name, value) values (?, ?) on conflict (name) do update set value = excluded.value
-- name: note_scan
select name, value from notes where name > ? order by name limit ?

-- name: fact_get
select fact_key, version, content, key_ref, source, written_at, deleted from facts where fact_key = ?
-- name: fact_put
insert into facts (fact_key, version, content, key_ref, source, written_at, deleted) values (?, ?, ?, ?, ?, ?, ?)
on conflict (fact_key) do update set version = excluded.version, content = excluded.content,
  key_ref = excluded.key_ref, source = excluded.source, written_at = excluded.written_at, deleted = excluded.deleted
-- name: fact_keys
select fact_key from facts where fact_key > ? and fact_key < ? and deleted = 0 order by fact_key limit ?
-- name: fact_scan
select fact_key, version, content, key_ref, source, written_at, deleted from facts
where fact_key > ? order by fact_key limit ?
-- name: fact_add_history
insert into sem_history (fact_key, version, content, key_ref, source, actor, written_at, value_hash, applied, deleted,
  stream) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: fact_history
select fact_key, version, content, key_ref, source, actor, written_at, value_hash, applied, deleted, stream
from sem_history where fact_key = ? order by version
-- name: fact_scan_history
select fact_key, version, content, key_ref, source, actor, written_at, value_hash, applied, deleted, stream
from sem_history where (fact_key, version) > (?, ?) order by fact_key, version limit ?
-- name: fact_history_at
select fact_key, version, content, key_ref, source, actor, written_at, value_hash, applied, deleted, stream
from sem_history where fact_key = ? and version = ?
-- name: fact_newest
select f.fact_key, f.version, f.content, f.key_ref, f.source, f.written_at, f.deleted, h.version
from sem_history h left join facts f on f.fact_key = h.fact_key
where h.fact_key = ? order by h.version desc limit 1

-- name: registry_get
select identity from key_registry where slot = ?
-- name: registry_add
insert into key_registry (slot, identity) values (?, ?)
-- name: registry_scan
select slot, identity from key_registry where slot > ? order by slot limit ?

-- name: alias_get
select target from aliases where phrase = ?
-- name: alias_put
insert into aliases (phrase, target, source, added_at) values (?, ?, ?, ?)
on conflict (phrase) do update set target = excluded.target, source = excluded.source, added_at = excluded.added_at
-- name: alias_all
select phrase, target from aliases order by phrase
-- name: alias_row
select phrase, target, source, added_at from aliases where phrase = ?
-- name: alias_scan
select phrase, target, source, added_at from aliases where phrase > ? order by phrase limit ?

-- name: idempotency_get
select request_hash, answer from idempotency where token = ?
-- name: idempotency_add
insert into idempotency (token, request_hash, answer) values (?, ?, ?)
-- name: idempotency_drop
delete from idempotency where token = ? returning token
-- name: idempotency_scan
select token, request_hash, answer from idempotency where token > ? order by token limit ?

-- name: index_parts
select part, key_ref, sealed from recall_indexes where person = ? order by part
-- name: index_last
select max(part) from recall_indexes where person = ?
-- name: index_put
insert into recall_indexes (person, part, key_ref, sealed) values (?, ?, ?, ?)
on conflict (person, part) do update set key_ref = excluded.key_ref, sealed = excluded.sealed
-- name: index_drop
delete from recall_indexes where person = ? and part = ?
-- name: index_drop_all
delete from recall_indexes where person = ? returning part
-- name: index_people
select distinct person from recall_indexes where person > ? order by person limit ?

-- name: job_get
select stream, kind, status, opened_at, person, log_id, holder, parent, root, life from jobs where stream = ?
-- name: job_add
insert into jobs (stream, kind, status, opened_at, person, log_id, holder, parent, root, life)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: job_set_status
update jobs set status = ? where stream = ?
-- name: job_take_up
update jobs set status = 'running', holder = ?, life = ? where stream = ?
-- name: job_recent
select stream, kind, status, opened_at, person, log_id, holder, parent, root, life from jobs
where root = '' order by arrival desc limit ?
-- name: job_scan
select stream, kind, status, opened_at, person, log_id, holder, parent, root, life from jobs where stream > ? order by stream limit ?
-- name: job_recent_before
select stream, kind, status, opened_at, person, log_id, holder, parent, root, life from jobs
where root = '' and arrival < (select arrival from jobs where stream = ?) order by arrival desc limit ?
-- name: job_held
select stream, kind, status, opened_at, person, log_id, holder, parent, root, life from jobs
where status in ('running', 'waiting') and root = '' limit ?
-- name: job_tree
select stream, kind, status, opened_at, person, log_id, holder, parent, root, life from jobs
where root = ? and root <> '' order by stream

-- name: holder_get
select holder_id, place, pid, started, clock, beat from holders where holder_id = ?
-- name: holder_put
insert into holders (holder_id, place, pid, started, clock, beat) values (?, ?, ?, ?, ?, ?)
on conflict (holder_id) do update set place = excluded.place, pid = excluded.pid, started = excluded.started,
  clock = excluded.clock, beat = excluded.beat
