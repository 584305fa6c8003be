-- Charges both quotas and creates the job, or changes nothing.
--
-- p_charge: the number of jobs that are charged. The first job of a long list is charged for all of its jobs, the others
-- for none.
-- p_evaluation: the default policy and expectations of readers; null for none.
-- p_traceparent: the span of the creation; null for none. Nodes of the previous version do not pass it.
-- p_first_indexes: per line the index of the first line with the same target; null: all targets differ.
-- A limit of 0 disables a quota. If the outcome is 'denied', exceeded is the quota with the longest retry time.
create or replace function create_job(
  p_token text, p_account bigint, p_key bigint, p_name text, p_module text, p_options json,
  p_fresh boolean, p_inputs bytea[], p_first_indexes int[], p_idempotency_key text, p_body_hash text,
  p_key_limit int, p_account_limit int, p_window bigint, p_charge int, p_evaluation json,
  p_traceparent text default null
) returns table (
  outcome text, job_id bigint, token text, name text, module text, options json, evaluation json, fresh boolean,
  total int, created_at timestamptz, policies text[], remaining int[], reset_micros bigint[], exceeded text,
  retry_micros bigint
)
language plpgsql as $$
#variable_conflict use_column
declare
  lines constant int := cardinality(p_inputs);
  earlier job_request;
  quota record;
  granted_policies text[] := '{}';
  granted_keys text[] := '{}';
  granted_times bigint[] := '{}';
  first_start_tag bigint;
begin
  if p_idempotency_key is not null then
    if not pg_try_advisory_xact_lock(hashtextextended(p_key || ' ' || p_idempotency_key, 0)) then
      outcome := 'pending';
      return next;
      return;
    end if;
    select * into earlier from job_request r
      where r.key_id = p_key and r.idempotency_key = p_idempotency_key
        and r.created_at > clock_timestamp() - interval '24 hours';
    if found and earlier.body_hash <> p_body_hash then
      outcome := 'mismatch';
      return next;
      return;
    elsif found then
      return query
        select 'replayed', j.id, j.token, j.name, j.module, j.options, j.evaluation, j.fresh, j.total, j.created_at,
          '{}'::text[], '{}'::int[], '{}'::bigint[], null::text, null::bigint
        from job j where j.id = earlier.job_id;
      return;
    end if;
  end if;

  policies := '{}';
  remaining := '{}';
  reset_micros := '{}';
  for quota in
    select a.policy, a.key, t.granted, t.remaining, t.reset_micros, t.retry_micros, t.charged_at
    from (
      select array_agg(w.policy order by w.policy) as policies,
        array_agg(w.key order by w.policy) as keys,
        array_agg(w.max_jobs order by w.policy) as limits
      from (values ('jobs', p_key::text, p_key_limit), ('jobs-account', p_account::text, p_account_limit))
        as w(policy, key, max_jobs)
      where w.max_jobs > 0
    ) enabled,
    lateral charge_quotas(
      enabled.policies, enabled.keys, array_fill(p_charge, array[cardinality(enabled.policies)]),
      enabled.limits, array_fill(p_window, array[cardinality(enabled.policies)]), null) t,
    lateral (select enabled.policies[t.item] as policy, enabled.keys[t.item] as key) a
    where enabled.policies is not null and p_charge > 0
  loop
    policies := policies || quota.policy;
    remaining := remaining || quota.remaining;
    reset_micros := reset_micros || quota.reset_micros;
    if quota.granted then
      granted_policies := granted_policies || quota.policy;
      granted_keys := granted_keys || quota.key;
      granted_times := granted_times || quota.charged_at;
    elsif quota.retry_micros > coalesce(retry_micros, 0) then
      exceeded := quota.policy;
      retry_micros := quota.retry_micros;
    end if;
  end loop;
  if exceeded is not null then
    perform refund_quotas(
      granted_policies, granted_keys, array_fill(p_charge, array[cardinality(granted_policies)]), granted_times);
    remaining := array(
      select q.remaining + p_charge * (q.policy = any(granted_policies))::int
      from unnest(policies, remaining) with ordinality as q(policy, remaining, ord) order by q.ord);
    outcome := 'denied';
    return next;
    return;
  end if;

  insert into job as j (token, account_id, name, module, options, evaluation, fresh, traceparent, total, pending_chunks)
    values (
      p_token, p_account, p_name, p_module, p_options, p_evaluation, p_fresh, p_traceparent, lines,
      case when p_first_indexes is null then (lines + 49) / 50
        else ((select count(*) from unnest(p_first_indexes) with ordinality f(first, ord)
          where f.first = f.ord - 1) + 49) / 50 end)
    returning j.id, j.token, j.name, j.module, j.options, j.evaluation, j.fresh, j.total, j.created_at
    into job_id, token, name, module, options, evaluation, fresh, total, created_at;
  insert into job_input (job_id, page, inputs)
    select create_job.job_id, p, p_inputs[p * 50 + 1 : p * 50 + 50]
    from generate_series(0, (lines - 1) / 50) p;
  insert into account_schedule as t (account_id, next_start_tag)
    values (p_account, (select c.last_value from virtual_time c) + lines)
    on conflict (account_id) do update
      set next_start_tag = greatest(t.next_start_tag, excluded.next_start_tag - lines) + lines
    returning t.next_start_tag - lines into first_start_tag;
  if p_first_indexes is null then
    insert into job_chunk (job_id, number, account_id, module, start_tag, checks, duplicates, duplicate_of)
      select create_job.job_id, n, p_account, p_module, first_start_tag + n * 50,
        array(select generate_series(n * 50, least(n * 50 + 50, lines) - 1)), '{}', '{}'
      from generate_series(0, (lines - 1) / 50) n;
  else
    insert into job_chunk (job_id, number, account_id, module, start_tag, checks, duplicates, duplicate_of)
      with line as (
        select (f.ord - 1)::int as index, f.first
        from unnest(p_first_indexes) with ordinality f(first, ord)),
      own as (
        select l.index, ((row_number() over (order by l.index)) - 1) / 50 as number
        from line l where l.first = l.index)
      select create_job.job_id, o.number, p_account, p_module, first_start_tag + min(o.index),
        array_agg(o.index order by o.index) filter (where l.index = o.index),
        coalesce(array_agg(l.index order by l.index) filter (where l.index <> o.index), '{}'),
        coalesce(array_agg(o.index order by l.index) filter (where l.index <> o.index), '{}')
      from own o join line l on l.first = o.index
      group by o.number;
  end if;
  if p_idempotency_key is not null then
    insert into job_request as r (key_id, idempotency_key, body_hash, job_id)
      values (p_key, p_idempotency_key, p_body_hash, create_job.job_id)
      on conflict (key_id, idempotency_key) do update
        set body_hash = excluded.body_hash, job_id = excluded.job_id,
          created_at = excluded.created_at;
  end if;
  perform pg_notify('chunks_waiting', '');
  outcome := 'created';
  return next;
end
$$;
