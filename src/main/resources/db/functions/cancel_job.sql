-- Cancels a job of the account; other jobs and finished jobs do not change.
create or replace function cancel_job(p_token text, p_account bigint, p_retention interval) returns void
language plpgsql as $$
begin
  perform terminate_job(j.id, 'cancelled', p_retention)
    from job j where j.token = p_token and j.account_id = p_account;
  if found then
    perform reset_account_schedule(p_account);
  end if;
end
$$;
