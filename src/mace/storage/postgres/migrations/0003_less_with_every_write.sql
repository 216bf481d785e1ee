-- What all events of a stream share stands in its first event, signed; a table that repeats it is one more to write to
-- with every job, and one more that somebody could change.
drop table streams;

-- Nobody asks for events by their type, and every insert had to look whether its own belongs here.
drop index events_by_type;
