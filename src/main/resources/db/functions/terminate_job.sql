-- Cancels or fails an unfinished job. Existing results are kept. A finished job does not change.
create or replace function terminate_job(p_job bigint, p_final_state text, p_retention interval) returns void
language plpgsql as $$
begin
  perform 1 from job_chunk c
    where c.job_id = p_job and c.state in ('waiting', 'claimed') order by c.number for update;
  perform 1 from job j where j.id = p_job and j.state in ('queued', 'running') for update;
  if not found then
    return;
  end if;
  update job_chunk c set state = 'cancelled', owner = null
    where c.job_id = p_job and c.state in ('waiting', 'claimed');
  if p_final_state = 'cancelled' then
    update job j set state = 'cancelling' where j.id = p_job;
  end if;
  update job j
    set state = p_final_state, version = j.version + 1, running = 0,
      cancelled = j.total - j.pass - j.warn - j.fail - j.error,
      finished_at = clock_timestamp(), expires_at = clock_timestamp() + p_retention
    where j.id = p_job;
end
$$;
