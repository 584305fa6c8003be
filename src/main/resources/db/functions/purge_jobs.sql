-- Deletes a slice of the jobs that expired before p_delay and returns its size. Most of their results have been dropped
-- with their partition. A row counts once, and once more for each 8 KiB of its body: deleting a large body reads its
-- pages. The row of the job is kept for a year, so that a request for it returns 410.
create or replace function purge_jobs(p_max_size int, p_delay interval) returns int
-- few rows, all found by key or by the head of an index
language plpgsql set enable_seqscan = off as $$
declare
  expired_job bigint;
  deleted int;
  last_index int;
  remaining int := p_max_size;
begin
  while remaining > 0 loop
    select j.id into expired_job from job j
      where j.expires_at <= statement_timestamp() - p_delay and j.purged_at is null
      order by j.expires_at limit 1 for update skip locked;
    exit when not found;
    select max(s.index), coalesce(sum(s.size), 0) into last_index, deleted
      from (
        select r.index, r.size, sum(r.size) over (order by r.index) - r.size as before
        from (
          select r.index, 1 + coalesce(pg_column_size(r.body), 0) / 8192 as size
          from job_result r where r.job_id = expired_job order by r.index limit remaining) r) s
      where s.before < remaining;
    delete from job_result r where r.job_id = expired_job and r.index <= last_index;
    remaining := remaining - deleted;
    if remaining > 0 then
      delete from job_input p where p.job_id = expired_job;
      delete from job_chunk c where c.job_id = expired_job;
      update job j set purged_at = clock_timestamp() where j.id = expired_job;
      remaining := remaining - 1;
    end if;
  end loop;
  delete from job j where j.id in (
    select j.id from job j where j.purged_at <= statement_timestamp() - interval '1 year'
    order by j.purged_at limit greatest(remaining, 0) for update skip locked);
  get diagnostics deleted = row_count;
  return least(p_max_size, p_max_size - remaining + deleted);
end
$$;
