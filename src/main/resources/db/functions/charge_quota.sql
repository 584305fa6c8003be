-- Charges one quota.
create or replace function charge_quota(p_policy text, p_key text, p_cost int, p_limit int, p_window bigint)
returns table (
  granted boolean, remaining int, reset_micros bigint, retry_micros bigint, charged_at bigint
)
language sql as $$
  select t.granted, t.remaining, t.reset_micros, t.retry_micros, t.charged_at
  from charge_quotas(
    array[p_policy], array[p_key], array[p_cost], array[p_limit], array[p_window], null) t
$$;
