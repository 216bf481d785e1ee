-- A job may be a tree: each branch has a row of its own. `life` counts how often a job was taken up.
alter table jobs add column parent text not null default '';
alter table jobs add column root text not null default '';
alter table jobs add column life bigint not null default 1;
create index jobs_of_tree on jobs (root) where root <> '';
drop index jobs_running;
create index jobs_held on jobs (stream) where status in ('running', 'waiting');
