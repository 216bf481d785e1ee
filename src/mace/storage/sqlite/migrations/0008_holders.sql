-- Who holds a running job: one row per process, renewed while it has running jobs. Heartbeats are no events.
create table holders (
  holder_id text primary key,
  place text not null,                 -- machine, its boot, and the space its process numbers are of
  pid integer not null,
  started text not null,               -- when the process began, as its machine tells it: numbers are used again
  clock text not null,                 -- which clock `beat` was read from
  beat real not null                   -- seconds
) strict, without rowid;

alter table jobs add column holder text not null default '';
create index jobs_running on jobs (stream) where status = 'running';
