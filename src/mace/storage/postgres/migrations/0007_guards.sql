-- Sealed bytes are never changed and never removed: erasure removes the key they are sealed under.
create trigger vault_blobs_keep before update or delete or truncate on vault_blobs
  for each statement execute function mace_refuse_change();

-- Not valid: rows that are there already are for verification to find, not for the opening to stumble over.
alter table events add constraint events_from_zero check (position >= 0) not valid;
