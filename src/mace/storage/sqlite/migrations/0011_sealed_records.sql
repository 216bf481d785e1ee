-- What earlier versions wrote beside logs in plain is sealed once and goes; every other record stays for good.
drop trigger records_keep_delete;
create trigger records_keep_rows before delete on records
when old.kind not in ('amendment', 'audit_tags', 'ground_truth_label', 'user_feedback')
begin select raise(abort, 'records is append-only: DELETE refused'); end;
