-- The number of the key that signs, 0 while keys have no purposes. Every batch meets it when its positions are given, so
-- that no node signs with an older key behind the event that retired it.
alter table ledger_head add column key_number bigint not null default 0;
