-- Rejects state transitions that do not exist.
create or replace function check_job_transition() returns trigger
language plpgsql as $$
begin
  if (old.state, new.state) not in (
    ('queued', 'running'), ('running', 'completed'),
    ('queued', 'cancelling'), ('running', 'cancelling'), ('cancelling', 'cancelled'),
    ('queued', 'failed'), ('running', 'failed')
  ) then
    raise exception 'invalid job state transition from % to %', old.state, new.state;
  end if;
  return new;
end
$$;
