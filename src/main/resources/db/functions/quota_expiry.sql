-- The time at which a row can be deleted: one to two windows after the last charge has left the window.
create or replace function quota_expiry(p_last_charge bigint, p_window bigint) returns timestamptz
language sql immutable parallel safe as $$
  select to_timestamp(((p_last_charge / p_window + 2) * p_window) / 1000000.0)
$$;
