-- The keys of people lie in a schema of their own, which a backup of this one leaves out. `token` is empty while they
-- still lie in `vault_keys`.
create table people_head (
  only_row integer primary key check (only_row = 1),
  token text not null
);
insert into people_head (only_row, token) values (1, '');
do $$ begin
  if to_regnamespace('mace_people') is null then -- whoever may not make one can be given one
    create schema mace_people;
  end if;
end $$;
create table mace_people.person_keys (
  ref text collate "C" primary key,
  wrapped bytea not null
);
create table mace_people.master (
  only_row integer primary key check (only_row = 1),
  master_id text not null
);
