-- Sealed parts of the indexes over what people said. Derived from the turns, and may be made again at any time.
create table recall_indexes (
  person text collate "C" not null,
  part bigint not null,
  key_ref text collate "C" not null,
  sealed bytea not null,
  primary key (person, part)
);
-- A person's keys of one kind are found without reading all of them: there is one for each turn.
drop index vault_keys_by_parent;
create index vault_keys_by_parent on vault_keys (parent, ref) where parent <> '';
