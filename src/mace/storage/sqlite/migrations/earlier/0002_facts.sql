-- The history of stores from before the first release lies in the order of its keys and has no rowids, which the guards
-- ask about: such a store gets the table of today, in the words of today.
alter table sem_history rename to sem_history_before;
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
insert into sem_history select fact_key, version, content, key_ref, source, actor, written_at, value_hash, applied,
  deleted, stream from sem_history_before order by written_at, fact_key, version;
drop table sem_history_before;
create trigger sem_history_keep_update before update on sem_history
begin select raise(abort, 'sem_history is append-only: UPDATE refused'); end;
create trigger sem_history_keep_delete before delete on sem_history
begin select raise(abort, 'sem_history is append-only: DELETE refused'); end;
