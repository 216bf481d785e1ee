-- One row: the number of the key that signs, 0 while keys have no purposes. A process that signs with an older one notices.
create table ledger_head (
  only_row integer primary key check (only_row = 1),
  key_number integer not null
) strict;
insert into ledger_head (only_row, key_number) values (1, 0);
