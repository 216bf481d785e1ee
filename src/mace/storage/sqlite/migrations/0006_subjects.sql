-- Which events speak of which rows: a row that decides is held against the event that names it. Derived from the
-- events, and may be built again at any time; the events that are there already are added by the code after this step.
create table event_subjects (
  subject text not null,
  position integer not null,
  primary key (subject, position)
) strict, without rowid;
