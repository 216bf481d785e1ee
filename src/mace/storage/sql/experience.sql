-- Statements over experience; both engines run them as they are.

-- name: event_experience
select position, stream, sequence_index, event_id, event_type, body, hash, signature
from events
where (event_type = 'MEGRAM_WRITTEN' or event_type = 'EXPERIENCE_PROMOTED' or
       event_type = 'EXPERIENCE_DEMOTED' or event_type = 'EXPERIENCE_FORGOTTEN' or
       event_type = 'EXPERIENCE_ROLLED_BACK' or event_type = 'EXPERIENCE_IMPORTED' or
       event_type = 'MEGRAM_RETRACTED') and position > ?
order by position limit ?

-- name: experience_cursor
select position from experience_cursor
-- name: experience_move_cursor
insert into experience_cursor (only_row, position) values (1, ?)
on conflict (only_row) do update set position = excluded.position

-- name: megram_add
insert into megrams (megram_id, pair, level, created_us, space, entity, content, key_refs, state, f, sigma, k, place,
  marked) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: megram_get
select megram_id, level, created_us, space, entity, content, key_refs, state, f, sigma, k, place, marked
from megrams where megram_id = ?
-- name: megram_remove
delete from megrams where megram_id = ?
-- name: megram_of_pair
select megram_id, level, created_us, space, entity, content, key_refs, state, f, sigma, k, place, marked
from megrams where pair = ? and level = ? and megram_id < ? order by megram_id desc limit ?
-- name: megram_rules
select megram_id, level, created_us, space, entity, content, key_refs, state, f, sigma, k, place, marked
from megrams where pair = ? and level = 'C'
  and not exists (select 1 from megram_retirements where megram_retirements.megram_id = megrams.megram_id)
order by megram_id desc
-- name: megram_scan
select megram_id, level, created_us, space, entity, content, key_refs, state, f, sigma, k, place, marked
from megrams where megram_id > ? order by megram_id limit ?
-- name: megram_any
select 1 from megrams where pair = ? limit 1
-- name: megram_digests
select megram_id, pair, space, entity from megrams where megram_id > ? order by megram_id limit ?
-- name: megram_clear
delete from megrams where megram_id in (select megram_id from megrams order by megram_id limit ?) returning 1
-- name: megram_counts
select level, count(*) from megrams group by level order by level
-- name: megram_count_of_pair
select count(*), count(megram_recalls.megram_id), count(megram_retirements.megram_id)
from megrams left join megram_recalls on megram_recalls.megram_id = megrams.megram_id
  left join megram_retirements on megram_retirements.megram_id = megrams.megram_id
where pair = ? and level in ('M', 'K')
-- name: megram_forget
delete from megrams where pair = ? and level in ('M', 'K')
-- name: megram_forget_recalls
delete from megram_recalls
where megram_id in (select megram_id from megrams where pair = ? and level in ('M', 'K'))
-- name: megram_forget_retirements
delete from megram_retirements
where megram_id in (select megram_id from megrams where pair = ? and level in ('M', 'K'))

-- name: megram_retire
insert into megram_retirements (megram_id, change_id) values (?, ?)
on conflict (megram_id) do update set change_id = excluded.change_id
-- name: megram_unretire
delete from megram_retirements where megram_id = ?
-- name: megram_retired_by
select megram_id, change_id from megram_retirements where megram_id in (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: megram_recall
insert into megram_recalls (megram_id, recalled_us) values (?, ?)
on conflict (megram_id) do update set recalled_us = excluded.recalled_us
where megram_recalls.recalled_us < excluded.recalled_us
-- name: megram_unrecall
delete from megram_recalls where megram_id = ?
-- name: megram_recalled_us
select megram_id, recalled_us from megram_recalls where megram_id in (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: retirement_scan
select megram_id, change_id from megram_retirements where megram_id > ? order by megram_id limit ?
-- name: retirement_clear
delete from megram_retirements
where megram_id in (select megram_id from megram_retirements order by megram_id limit ?) returning 1
-- name: recall_scan
select megram_id, recalled_us from megram_recalls where megram_id > ? order by megram_id limit ?

-- name: experience_no_cursor
delete from experience_cursor
-- name: pair_digests
select pair, space, entity from experience_pairs where pair > ? order by pair limit ?
-- name: pair_remove
delete from experience_pairs where pair = ?
-- name: pair_clear
delete from experience_pairs where pair in (select pair from experience_pairs order by pair limit ?) returning 1
-- name: change_scan
select change_id, kind, space, entity, place, body, undone_by from experience_changes
where change_id > ? order by change_id limit ?
-- name: change_clear
delete from experience_changes
where change_id in (select change_id from experience_changes order by change_id limit ?) returning 1

-- name: pair_get
select space, entity, state, due_us from experience_pairs where pair = ?
-- name: pair_put
insert into experience_pairs (pair, space, entity, long_tags, state, due_us) values (?, ?, ?, ?, ?, ?)
on conflict (pair) do update set state = excluded.state, due_us = excluded.due_us
-- name: pair_scan
select space, entity, state, due_us from experience_pairs
where long_tags = 0 and (space, entity) > (?, ?) order by space, entity limit ?
-- name: pair_scan_long
select space, entity, state, due_us from experience_pairs
where long_tags = 1 and (space, entity) > (?, ?) order by space, entity limit ?
-- name: pair_due
select space, entity, state, due_us from experience_pairs where due_us <= ? order by due_us, pair limit ?

-- name: change_get
select change_id, kind, space, entity, place, body, undone_by from experience_changes where change_id = ?
-- name: change_put
insert into experience_changes (change_id, kind, space, entity, place, body, undone_by) values (?, ?, ?, ?, ?, ?, ?)
on conflict (change_id) do update set kind = excluded.kind, space = excluded.space, entity = excluded.entity,
  place = excluded.place, body = excluded.body, undone_by = excluded.undone_by
-- name: change_recent
select change_id, kind, space, entity, place, body, undone_by from experience_changes
order by place desc, change_id desc limit ?
