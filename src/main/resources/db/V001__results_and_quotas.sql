-- What instant checks found, until it is too old to be told again.
create table result_cache (
  key text primary key,  -- SHA-256 of module, target and options
  body bytea not null,
  checked_at timestamptz not null,
  expires_at timestamptz not null
);
create index result_cache_expires_at on result_cache (expires_at);

-- Who took what in the last window: one row per policy and key, the times of the takes in ascending
-- order, in microseconds since 1970, one element per unit of cost.
create table quota_window (
  policy text not null,
  key text not null,
  takes bigint[] not null,
  expires_at timestamptz not null,  -- rounded up, so that most updates leave the index alone
  primary key (policy, key)
) with (fillfactor = 70);
create index quota_window_expires_at on quota_window (expires_at);

create function micros(moment timestamptz) returns bigint
language sql immutable parallel safe as $$
  select (extract(epoch from moment) * 1000000)::bigint
$$;

-- When a row can be deleted: some time after its last take has left the window.
create function quota_expiry(last_take bigint, span bigint) returns timestamptz
language sql immutable parallel safe as $$
  select to_timestamp(((last_take / span + 2) * span) / 1000000.0)
$$;

-- Takes from many quotas at once; the answers come in the order of the questions. Exact: no window
-- of that length, wherever it begins, ever holds more takes than the limit. A window is half open:
-- what was taken at t is free again at t + window.
--
-- Rows are locked in the order of (policy, key), so that two batches cannot wait for each other in a
-- circle; the time is looked at after the lock is held, and never runs backwards within a row.
-- fixed_now is for tests, which walk through hours without waiting.
create function take_quotas(
  policies text[], keys text[], costs int[], limits int[], windows bigint[], fixed_now bigint
) returns table (
  item int, granted boolean, remaining int, reset_micros bigint, retry_micros bigint, taken_at bigint
)
language plpgsql as $$
declare
  ask record;
  held_policy text;
  held_key text;
  held_window bigint;
  held bigint[];
  changed boolean := false;
  moment bigint;
  used int;
begin
  for ask in
    select a.policy, a.key, a.cost, a.most, a.span, a.ord::int as ord
    from unnest(policies, keys, costs, limits, windows)
      with ordinality as a(policy, key, cost, most, span, ord)
    order by a.policy, a.key, a.ord
  loop
    if held_key is distinct from ask.key or held_policy is distinct from ask.policy then
      if changed then
        update quota_window q
          set takes = held, expires_at = quota_expiry(moment, held_window)
          where q.policy = held_policy and q.key = held_key;
        changed := false;
      end if;
      held_policy := ask.policy;
      held_key := ask.key;
      held_window := ask.span;
      loop
        select q.takes into held from quota_window q
          where q.policy = ask.policy and q.key = ask.key for update;
        exit when found;
        insert into quota_window (policy, key, takes, expires_at)
          values (ask.policy, ask.key, '{}', to_timestamp(0)) on conflict do nothing;
        if found then
          held := '{}';
          exit;
        end if;
      end loop;
      moment := greatest(
        coalesce(fixed_now, micros(clock_timestamp())), coalesce(held[cardinality(held)], 0));
      if held[1] <= moment - ask.span then
        held := array(select t from unnest(held) t where t > moment - ask.span order by t);
      end if;
    end if;
    used := cardinality(held);
    item := ask.ord;
    taken_at := moment;
    retry_micros := 0;
    granted := used + ask.cost <= ask.most;
    if granted then
      held := held || array_fill(moment, array[ask.cost]);
      used := used + ask.cost;
      changed := true;
    elsif ask.cost > ask.most then
      retry_micros := ask.span;
    else
      retry_micros := held[used + ask.cost - ask.most] + ask.span - moment;
    end if;
    remaining := greatest(ask.most - used, 0);
    reset_micros := coalesce(held[1] + ask.span - moment, 0);
    return next;
  end loop;
  if changed then
    update quota_window q
      set takes = held, expires_at = quota_expiry(moment, held_window)
      where q.policy = held_policy and q.key = held_key;
  end if;
end
$$;

-- The same for one quota.
create function take_quota(of_policy text, of_key text, cost int, most int, span bigint)
returns table (
  granted boolean, remaining int, reset_micros bigint, retry_micros bigint, taken_at bigint
)
language sql as $$
  select t.granted, t.remaining, t.reset_micros, t.retry_micros, t.taken_at
  from take_quotas(
    array[of_policy], array[of_key], array[cost], array[most], array[span], null) t
$$;

-- Gives back takes of which the time is known; what has left the window by itself is no fault.
create function refund_quotas(policies text[], keys text[], costs int[], taken_ats bigint[])
returns void
language plpgsql as $$
declare
  back record;
  held bigint[];
  first int;
begin
  for back in
    select r.policy, r.key, r.cost, r.taken_at
    from unnest(policies, keys, costs, taken_ats)
      with ordinality as r(policy, key, cost, taken_at, ord)
    order by r.policy, r.key, r.ord
  loop
    select q.takes into held from quota_window q
      where q.policy = back.policy and q.key = back.key for update;
    first := array_position(held, back.taken_at);
    if first is not null then
      update quota_window q
        set takes = array(
          select t.take from unnest(held) with ordinality as t(take, ord)
          where t.take <> back.taken_at or t.ord >= first + back.cost
          order by t.ord)
        where q.policy = back.policy and q.key = back.key;
    end if;
  end loop;
end
$$;
