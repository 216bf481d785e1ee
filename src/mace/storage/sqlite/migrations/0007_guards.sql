-- INSERT OR REPLACE puts a row in the place of another without asking the triggers on DELETE: these are asked before.
-- A row is taken by its key, by what must be unique, and by its rowid, which is negative here unless somebody chose it.
create trigger events_keep_place before insert on events
when new.position < 0
  or exists (select 1 from events where position = new.position)
  or exists (select 1 from events where stream = new.stream and sequence_index = new.sequence_index)
begin
  select raise(abort, 'events begins at position 0: INSERT refused') where new.position < 0;
  select raise(abort, 'events is append-only: the row exists');
end;
create trigger records_keep_place before insert on records
when exists (select 1 from records where kind = new.kind and record_key = new.record_key)
  or (new.rowid >= 0 and exists (select 1 from records where rowid = new.rowid))
begin select raise(abort, 'records is append-only: the row exists'); end;
create trigger reflective_log_keep_place before insert on reflective_log_stage0
when exists (select 1 from reflective_log_stage0 where log_id = new.log_id)
  or (new.rowid >= 0 and exists (select 1 from reflective_log_stage0 where rowid = new.rowid))
begin select raise(abort, 'reflective_log_stage0 is immutable: the row exists'); end;
create trigger sem_history_keep_place before insert on sem_history
when exists (select 1 from sem_history where fact_key = new.fact_key and version = new.version)
  or (new.rowid >= 0 and exists (select 1 from sem_history where rowid = new.rowid))
begin select raise(abort, 'sem_history is append-only: the row exists'); end;
create trigger key_registry_keep_place before insert on key_registry
when exists (select 1 from key_registry where slot = new.slot)
begin select raise(abort, 'key_registry is append-only: the row exists'); end;

-- Sealed bytes are never changed and never removed: erasure removes the key they are sealed under.
create trigger vault_blobs_keep_update before update on vault_blobs
begin select raise(abort, 'vault_blobs is append-only: UPDATE refused'); end;
create trigger vault_blobs_keep_delete before delete on vault_blobs
begin select raise(abort, 'vault_blobs is append-only: DELETE refused'); end;
create trigger vault_blobs_keep_place before insert on vault_blobs
when exists (select 1 from vault_blobs where ref = new.ref)
  or (new.rowid >= 0 and exists (select 1 from vault_blobs where rowid = new.rowid))
begin select raise(abort, 'vault_blobs is append-only: the row exists'); end;
