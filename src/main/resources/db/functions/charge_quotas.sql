-- Charges several quotas. item is the position of the request in the arrays. Exact: no window of the given
-- length contains more charges than the limit. A window is half-open: a charge at t expires at t + window.
--
-- Rows are locked in the order of (policy, key) to prevent deadlocks between batches. The clock is read while
-- the lock is held and is monotonic per row. p_now replaces the clock in tests.
create or replace function charge_quotas(
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
    select a.policy, a.key, a.cost, a.max_charges, a.window_micros, a.ord::int as ord,
      max(a.cost) over (partition by a.policy, a.key) > 0 as any_charge
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
      if not request.any_charge then
        -- reads neither create nor lock a row
        select q.charges into current_charges from quota_window q
          where q.policy = request.policy and q.key = request.key;
        current_charges := coalesce(current_charges, '{}');
      end if;
      while request.any_charge loop
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
      -- a cost of 0 reads the quota
      changed := changed or request.cost > 0;
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
