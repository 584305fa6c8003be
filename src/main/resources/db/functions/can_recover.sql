-- Whether a node can claim a crashed chunk. All crashed chunks of a job are claimed by one node, so that its suspects
-- run one at a time.
create or replace function can_recover(c job_chunk, p_owner bigint, p_excluded_suspect_accounts bigint[]) returns boolean
language plpgsql stable as $$
begin
  return c.account_id <> all(p_excluded_suspect_accounts) and not exists (
    select 1 from job_chunk o
    where o.job_id = c.job_id and o.state = 'claimed' and o.owner <> p_owner and o.crash_count > 0);
end
$$;
