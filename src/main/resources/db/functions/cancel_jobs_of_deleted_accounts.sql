-- Cancels and expires up to p_max_jobs jobs of deleted accounts, deletes such accounts without jobs, and returns
-- the number of jobs.
create or replace function cancel_jobs_of_deleted_accounts(p_max_jobs int) returns int
language plpgsql as $$
declare
  abandoned_job record;
  cancelled_jobs int := 0;
begin
  for abandoned_job in
    -- lateral, because without statistics of account the planner reads all jobs
    select j.id from account a
      cross join lateral (
        select j.id from job j
        where j.account_id = a.id and j.purged_at is null
          and coalesce(j.expires_at > statement_timestamp(), true)
        order by j.id limit p_max_jobs) j
    where a.deleted_at is not null
    order by j.id limit p_max_jobs
  loop
    perform terminate_job(abandoned_job.id, 'cancelled', interval '0');
    -- so that its results are deleted now and not with their partition
    update job j set expires_at = clock_timestamp() - interval '1 year' where j.id = abandoned_job.id;
    cancelled_jobs := cancelled_jobs + 1;
  end loop;
  delete from account a where a.id in (
    select a.id from account a
    where a.deleted_at is not null
      and not exists (select 1 from job j where j.account_id = a.id)
    limit p_max_jobs - cancelled_jobs for update skip locked);
  return cancelled_jobs;
end
$$;
