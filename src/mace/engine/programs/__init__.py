"""Programs: anybody's own agent on the record, as a kind of job."""
