-- As create_job, for nodes of the previous version, whose jobs have no default policy. Nodes of this version do not
-- call it: the next migration of a later version drops it.
create or replace function create_charged_job(
  p_token text, p_account bigint, p_key bigint, p_name text, p_module text, p_options json,
  p_fresh boolean, p_inputs bytea[], p_first_indexes int[], p_idempotency_key text, p_body_hash text,
  p_key_limit int, p_account_limit int, p_window bigint, p_charge int
) returns table (
  outcome text, job_id bigint, token text, name text, module text, options json, fresh boolean,
  total int, created_at timestamptz, policies text[], remaining int[], reset_micros bigint[], exceeded text,
  retry_micros bigint
)
language sql as $$
  select c.outcome, c.job_id, c.token, c.name, c.module, c.options, c.fresh, c.total, c.created_at, c.policies,
    c.remaining, c.reset_micros, c.exceeded, c.retry_micros
  from create_job(
    p_token, p_account, p_key, p_name, p_module, p_options, p_fresh, p_inputs, p_first_indexes, p_idempotency_key,
    p_body_hash, p_key_limit, p_account_limit, p_window, p_charge, null) c
$$;
