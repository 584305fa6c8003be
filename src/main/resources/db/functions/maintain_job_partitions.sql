-- Creates the partitions of the next three days, and drops the first partition whose jobs have all expired. Returns
-- the number of created and dropped partitions. If a lock is not available at once, the next call tries again.
create or replace function maintain_job_partitions(p_days int) returns int
language plpgsql set lock_timeout = '300ms' as $$
declare
  changes int := 0;
  next_day int;
  expired_day int;
begin
  lock table job_result_partition in share row exclusive mode;
  select coalesce(max(p.end_day), current_day() - 1) into next_day from job_result_partition p;
  while next_day <= current_day() + 3 loop
    -- attached afterwards, because "create table ... partition of" blocks reads of job_result
    -- no vacuum after inserts: it would write each page again, with data checksums also to the WAL
    execute format(
      'create table job_result_%s (like job_result including all) with (autovacuum_vacuum_insert_threshold = -1)',
      next_day);
    execute format('alter table job_result attach partition job_result_%s for values from (%s) to (%s)',
      next_day, next_day::bigint << 32, (next_day + p_days)::bigint << 32);
    insert into job_result_partition values (next_day, next_day + p_days);
    next_day := next_day + p_days;
    changes := changes + 1;
  end loop;
  if changes > 0 then
    -- a job that is being created may still use the last of the earlier partitions
    return changes;
  end if;
  select p.first_day into expired_day from job_result_partition p
    where p.end_day < current_day() and not exists (
      select 1 from job j
      where j.id >= p.first_day::bigint << 32 and j.id < p.end_day::bigint << 32
        and coalesce(j.expires_at > clock_timestamp(), true))
    order by p.first_day limit 1;
  if found then
    execute format('drop table job_result_%s', expired_day);
    delete from job_result_partition p where p.first_day = expired_day;
    changes := changes + 1;
  end if;
  return changes;
end
$$;
