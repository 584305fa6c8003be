-- Recalculates the next start tag of an account, so that cancelled chunks do not delay its next job.
create or replace function reset_account_schedule(p_account bigint) returns void
language sql as $$
  update account_schedule t
    set next_start_tag = coalesce(
      (select max(c.start_tag) + 50 from job_chunk c
        where c.account_id = t.account_id and c.state = 'waiting'),
      (select f.last_value from virtual_time f))
    where t.account_id = p_account
$$;
