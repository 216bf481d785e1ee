-- What earlier versions wrote beside logs in plain is sealed once and goes; every other record stays for good.
drop trigger records_keep on records;
create trigger records_keep before update or truncate on records
  for each statement execute function mace_refuse_change();
create trigger records_keep_delete before delete on records
  for each row when (old.kind not in ('amendment', 'audit_tags', 'ground_truth_label', 'user_feedback'))
  execute function mace_refuse_change();
