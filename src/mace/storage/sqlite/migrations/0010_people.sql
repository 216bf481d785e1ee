-- The keys of people lie in a file of their own. What was last taken from it or changed in it, as far as this database
-- knows: a change there counts from the commit that names it here. Empty while those keys still lie in `vault_keys`.
create table people_head (
  only_row integer primary key check (only_row = 1),
  token text not null
) strict;
insert into people_head (only_row, token) values (1, '');
