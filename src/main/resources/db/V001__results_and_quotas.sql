-- Cached results until they expire. Unlogged: a crash of the database server empties the cache, a restart does not.
create unlogged table result_cache (
  key text primary key,  -- SHA-256 of module, target and options
  body bytea not null,
  checked_at timestamptz not null,
  expires_at timestamptz not null
);
create index result_cache_expires_at on result_cache (expires_at);

-- Sliding windows of quotas: one row per policy and key. charges holds the time of each charge in ascending
-- order, in microseconds since 1970, one element per unit of cost.
create table quota_window (
  policy text not null,
  key text not null,
  charges bigint[] not null,
  expires_at timestamptz not null,  -- rounded up, so that max_charges updates do not change the index
  primary key (policy, key)
) with (fillfactor = 70);
create index quota_window_expires_at on quota_window (expires_at);

create function to_micros(p_time timestamptz) returns bigint
language sql immutable parallel safe as $$
  select (extract(epoch from p_time) * 1000000)::bigint
$$;

-- The time at which a row can be deleted: one to two windows after the last charge has left the window.
create function quota_expiry(p_last_charge bigint, p_window bigint) returns timestamptz
language sql immutable parallel safe as $$
  select to_timestamp(((p_last_charge / p_window + 2) * p_window) / 1000000.0)
$$;

-- Charges several quotas. item is the position of the request in the arrays. Exact: no window of the given
-- length contains more charges than the limit. A window is half-open: a charge at t expires at t + window.
--
-- Rows are locked in the order of (policy, key) to prevent deadlocks between batches. The clock is read while
-- the lock is held and is monotonic per row. p_now replaces the clock in tests.
create function charge_quotas(
  p_policies text[], p_keys text[], p_costs int[], p_limits int[], p_windows bigint[], p_now bigint
) returns table (
  item int, granted boolean, remaining int, reset_micros bigint, retry_micros bigint, charged_at bigint
)
language plpgsql as $$
declare
  request record;
  current_policy text;
  current_key text;
  current_window bigint;
  current_charges bigint[];
  changed boolean := false;
  now_micros bigint;
  used int;
begin
  for request in
    select a.policy, a.key, a.cost, a.max_charges, a.window_micros, a.ord::int as ord
    from unnest(p_policies, p_keys, p_costs, p_limits, p_windows)
      with ordinality as a(policy, key, cost, max_charges, window_micros, ord)
    order by a.policy, a.key, a.ord
  loop
    if current_key is distinct from request.key or current_policy is distinct from request.policy then
      if changed then
        update quota_window q
          set charges = current_charges, expires_at = quota_expiry(now_micros, current_window)
          where q.policy = current_policy and q.key = current_key;
        changed := false;
      end if;
      current_policy := request.policy;
      current_key := request.key;
      current_window := request.window_micros;
      loop
        select q.charges into current_charges from quota_window q
          where q.policy = request.policy and q.key = request.key for update;
        exit when found;
        insert into quota_window (policy, key, charges, expires_at)
          values (request.policy, request.key, '{}', to_timestamp(0)) on conflict do nothing;
        if found then
          current_charges := '{}';
          exit;
        end if;
      end loop;
      now_micros := greatest(
        coalesce(p_now, to_micros(clock_timestamp())), coalesce(current_charges[cardinality(current_charges)], 0));
      if current_charges[1] <= now_micros - request.window_micros then
        current_charges := array(
          select t from unnest(current_charges) t where t > now_micros - request.window_micros order by t);
      end if;
    end if;
    used := cardinality(current_charges);
    item := request.ord;
    charged_at := now_micros;
    retry_micros := 0;
    granted := used + request.cost <= request.max_charges;
    if granted then
      current_charges := current_charges || array_fill(now_micros, array[request.cost]);
      used := used + request.cost;
      changed := true;
    elsif request.cost > request.max_charges then
      retry_micros := request.window_micros;
    else
      retry_micros := current_charges[used + request.cost - request.max_charges] + request.window_micros - now_micros;
    end if;
    remaining := greatest(request.max_charges - used, 0);
    reset_micros := coalesce(current_charges[1] + request.window_micros - now_micros, 0);
    return next;
  end loop;
  if changed then
    update quota_window q
      set charges = current_charges, expires_at = quota_expiry(now_micros, current_window)
      where q.policy = current_policy and q.key = current_key;
  end if;
end
$$;

-- Charges one quota.
create function charge_quota(p_policy text, p_key text, p_cost int, p_limit int, p_window bigint)
returns table (
  granted boolean, remaining int, reset_micros bigint, retry_micros bigint, charged_at bigint
)
language sql as $$
  select t.granted, t.remaining, t.reset_micros, t.retry_micros, t.charged_at
  from charge_quotas(
    array[p_policy], array[p_key], array[p_cost], array[p_limit], array[p_window], null) t
$$;

-- Removes charges by their time. A charge that has left the window is ignored.
create function refund_quotas(p_policies text[], p_keys text[], p_costs int[], p_charged_at bigint[])
returns void
language plpgsql as $$
declare
  refund record;
  current_charges bigint[];
  first int;
begin
  for refund in
    select r.policy, r.key, r.cost, r.charged_at
    from unnest(p_policies, p_keys, p_costs, p_charged_at)
      with ordinality as r(policy, key, cost, charged_at, ord)
    order by r.policy, r.key, r.ord
  loop
    select q.charges into current_charges from quota_window q
      where q.policy = refund.policy and q.key = refund.key for update;
    first := array_position(current_charges, refund.charged_at);
    if first is not null then
      update quota_window q
        set charges = array(
          select t.charge from unnest(current_charges) with ordinality as t(charge, ord)
          where t.charge <> refund.charged_at or t.ord >= first + refund.cost
          order by t.ord)
        where q.policy = refund.policy and q.key = refund.key;
    end if;
  end loop;
end
$$;
