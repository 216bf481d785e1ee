-- Sealed parts of the indexes over what people said. Derived from the turns, and may be made again at any time.
create table recall_indexes (
  person text not null,
  part integer not null,
  key_ref text not null,
  sealed blob not null,
  primary key (person, part)
) strict, without rowid;
