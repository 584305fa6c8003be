-- The lines of each coordinator that wait for limits of targets, by job ID.
alter table node add column waiting jsonb not null default '{}';
