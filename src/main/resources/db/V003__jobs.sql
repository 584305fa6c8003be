-- The partitions of job_result. A partition contains the results of all jobs of consecutive days.
create table job_result_partition (
  first_day int primary key,  -- days since 1970-01-01 in UTC
  end_day int not null check (end_day > first_day)  -- exclusive
);

-- The number of a job within its day.
create sequence job_number minvalue 0 maxvalue 4294967295 cycle;

create function current_day() returns int
language sql volatile as $$
  select (floor(extract(epoch from clock_timestamp())) / 86400)::int
$$;

-- An ID contains the day of creation, so that the results of a day are one range of IDs. A day without partition is
-- replaced by the nearest day with one.
create function new_job_id() returns bigint
language sql volatile as $$
  select greatest(min(p.first_day), least(max(p.end_day) - 1, current_day()))::bigint << 32 | nextval('job_number')
  from job_result_partition p
$$;

-- Jobs. All counts are numbers of lines, duplicates included.
create table job (
  id bigint primary key default new_job_id(),
  token text not null unique,
  account_id bigint not null references account,
  name text not null check (char_length(name) between 1 and 100),
  module text not null,
  options json not null,  -- options that differ from the module's defaults; jsonb does not accept \u0000
  fresh boolean not null,  -- cached results are not used
  state text not null default 'queued' check (
    state in ('queued', 'running', 'completed', 'cancelling', 'cancelled', 'failed')),
  version bigint not null default 1,  -- incremented with every visible change
  total int not null check (total between 1 and 500),
  running int not null default 0 check (running >= 0),
  pass int not null default 0,
  warn int not null default 0,
  fail int not null default 0,
  error int not null default 0,
  cancelled int not null default 0,
  pending_chunks int not null check (pending_chunks >= 0),
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz,
  purged_at timestamptz,
  check (pass + warn + fail + error + cancelled + running <= total),
  check (state <> 'completed' or pass + warn + fail + error = total),
  check (state not in ('cancelled', 'failed') or pass + warn + fail + error + cancelled = total)
) with (fillfactor = 70);
create index job_account on job (account_id, id);
create index job_expires_at on job (expires_at) where purged_at is null;
create index job_purged_at on job (purged_at) where purged_at is not null;
create index job_unfinished on job (created_at) where state in ('queued', 'running');

-- Rejects state transitions that do not exist.
create function check_job_transition() returns trigger
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
create trigger job_transition before update of state on job
  for each row when (old.state <> new.state) execute function check_job_transition();

-- Inputs in UTF-8, 50 per page; bytea, because text cannot contain U+0000. job_input and job_result have no
-- foreign key: it costs a lookup per row, and both are written only while the row of their job is locked.
create table job_input (
  job_id bigint not null,
  page int not null,
  inputs bytea[] not null,
  primary key (job_id, page)
);

-- Results, append-only. Partitioned by the day of the job, because dropping a partition costs less than deleting rows.
create table job_result (
  job_id bigint not null,
  index int not null,
  version bigint not null,  -- version of the job in which the result became visible
  verdict text not null check (verdict in ('pass', 'warn', 'fail', 'error')),
  duplicate_of int,  -- index of the line with the same target whose body is used; null: own body
  body bytea,
  primary key (job_id, index),
  check ((duplicate_of is null) <> (body is null))
) partition by range (job_id);

-- Creates the partitions of the next three days, and drops the first partition whose jobs have all expired. Returns
-- the number of created and dropped partitions. If a lock is not available at once, the next call tries again.
create function maintain_job_partitions(p_days int) returns int
language plpgsql set lock_timeout = '300ms' as $$
declare
  changes int := 0;
  next_day int;
  expired_day int;
begin
  lock table job_result_partition in share row exclusive mode;
  select coalesce(max(p.end_day), current_day() - 1) into next_day from job_result_partition p;
  while next_day <= current_day() + 3 loop
    -- attached afterwards, because "create table ... partition of" blocks reads of job_result
    -- no vacuum after inserts: it would write each page again, with data checksums also to the WAL
    execute format(
      'create table job_result_%s (like job_result including all) with (autovacuum_vacuum_insert_threshold = -1)',
      next_day);
    execute format('alter table job_result attach partition job_result_%s for values from (%s) to (%s)',
      next_day, next_day::bigint << 32, (next_day + p_days)::bigint << 32);
    insert into job_result_partition values (next_day, next_day + p_days);
    next_day := next_day + p_days;
    changes := changes + 1;
  end loop;
  if changes > 0 then
    -- a job that is being created may still use the last of the earlier partitions
    return changes;
  end if;
  select p.first_day into expired_day from job_result_partition p
    where p.end_day < current_day() and not exists (
      select 1 from job j
      where j.id >= p.first_day::bigint << 32 and j.id < p.end_day::bigint << 32
        and coalesce(j.expires_at > clock_timestamp(), true))
    order by p.first_day limit 1;
  if found then
    execute format('drop table job_result_%s', expired_day);
    delete from job_result_partition p where p.first_day = expired_day;
    changes := changes + 1;
  end if;
  return changes;
end
$$;
select maintain_job_partitions(1);

-- The cached result of a line refers to job_result instead of a copy of the body.
alter table result_cache
  alter column body drop not null,
  add column job_id bigint,
  add column index int,
  add check ((body is null) = (job_id is not null and index is not null));

-- Idempotency keys of job creations, valid for 24 hours.
create table job_request (
  key_id bigint not null references api_key on delete cascade,
  idempotency_key text not null,
  body_hash text not null,
  job_id bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (key_id, idempotency_key)
);
create index job_request_created_at on job_request (created_at);

-- Leases of the coordinators. The row of a coordinator whose lease expired is deleted; its next renewal fails.
create table node (
  id bigint generated always as identity primary key,
  lease_expires_at timestamptz not null,
  in_flight_at_crash int,  -- number of lines in progress when the lease expired; null: its chunks are not being released
  name text,  -- cluster address, host:port; null without a cluster
  roles text[] not null,
  version text not null,
  generation int not null,  -- of the messages
  endpoints jsonb not null,  -- listening sockets, which are never targets
  leaving boolean not null default false,
  registered_at timestamptz not null default clock_timestamp()
);

-- Registers a node. The lease of an earlier process with the same name expires.
create function register_node(
  p_lease interval, p_name text, p_roles text[], p_version text, p_generation int, p_endpoints jsonb
) returns bigint
language plpgsql as $$
declare
  registered bigint;
begin
  update node n set lease_expires_at = clock_timestamp() - interval '1 second'
    where n.name = p_name and n.lease_expires_at > clock_timestamp();
  insert into node (lease_expires_at, name, roles, version, generation, endpoints)
    values (clock_timestamp() + p_lease, p_name, p_roles, p_version, p_generation, p_endpoints)
    returning id into registered;
  if p_name is not null then
    perform pg_notify('nodes_changed', '');
  end if;
  return registered;
end
$$;

create function leave_cluster(p_id bigint) returns void
language plpgsql as $$
begin
  update node n set leaving = true where n.id = p_id and n.name is not null;
  if found then
    perform pg_notify('nodes_changed', '');
  end if;
end
$$;

-- Chunks: up to 50 distinct targets of a job. The unit of a claim.
create table job_chunk (
  job_id bigint not null references job on delete cascade,
  number int not null,
  account_id bigint not null,
  module text not null,
  start_tag bigint not null,  -- start tag of start-time fair queueing between accounts
  state text not null default 'waiting' check (
    state in ('waiting', 'claimed', 'done', 'cancelled')),
  owner bigint references node,
  attempt int not null default 0,  -- number of claims; fencing token of writes
  checks int[] not null,  -- indexes of the checked lines: the first line of each target
  duplicates int[] not null,  -- indexes of the lines that use a result of these
  duplicate_of int[] not null,  -- the checked line of each element of duplicates
  crash_count int not null default 0,  -- number of expired leases while it was claimed
  in_flight int[] not null default '{}',  -- recorded attempts: after a crash of the lines in progress, at a release
  suspects int[] not null default '{}',  -- lines in flight with others at a crash
  solo_crashes int[] not null default '{}',  -- one element per crash at which the line was the only one in flight
  attempts int[] not null default '{}',  -- one element per recorded attempt of a line in an earlier claim
  primary key (job_id, number),
  check ((state = 'claimed') = (owner is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index job_chunk_waiting on job_chunk (start_tag, job_id, number) where state = 'waiting';
create index job_chunk_account on job_chunk (account_id, start_tag) where state = 'waiting';
create index job_chunk_owner on job_chunk (owner) where owner is not null;

-- Virtual time: the start tag of the latest claim. A sequence, because it is not transactional and takes no lock.
create sequence virtual_time minvalue 0 start 0;

-- The earliest start tag of the next job of an account.
create table account_schedule (
  account_id bigint primary key references account on delete cascade,
  next_start_tag bigint not null
);

-- Charges both quotas and creates the job, or changes nothing.
--
-- p_first_indexes: per line the index of the first line with the same target; null: all targets differ.
-- A limit of 0 disables a quota. If the outcome is 'denied', exceeded is the quota with the longest retry time.
create function create_job(
  p_token text, p_account bigint, p_key bigint, p_name text, p_module text, p_options json,
  p_fresh boolean, p_inputs bytea[], p_first_indexes int[], p_idempotency_key text, p_body_hash text,
  p_key_limit int, p_account_limit int, p_window bigint
) returns table (
  outcome text, job_id bigint, token text, name text, module text, options json, fresh boolean,
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
        select 'replayed', j.id, j.token, j.name, j.module, j.options, j.fresh, j.total, j.created_at,
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
      enabled.policies, enabled.keys, array_fill(1, array[cardinality(enabled.policies)]),
      enabled.limits, array_fill(p_window, array[cardinality(enabled.policies)]), null) t,
    lateral (select enabled.policies[t.item] as policy, enabled.keys[t.item] as key) a
    where enabled.policies is not null
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
      granted_policies, granted_keys, array_fill(1, array[cardinality(granted_policies)]), granted_times);
    remaining := array(
      select q.remaining + (q.policy = any(granted_policies))::int
      from unnest(policies, remaining) with ordinality as q(policy, remaining, ord) order by q.ord);
    outcome := 'denied';
    return next;
    return;
  end if;

  insert into job as j (token, account_id, name, module, options, fresh, total, pending_chunks)
    values (
      p_token, p_account, p_name, p_module, p_options, p_fresh, lines,
      case when p_first_indexes is null then (lines + 49) / 50
        else ((select count(*) from unnest(p_first_indexes) with ordinality f(first, ord)
          where f.first = f.ord - 1) + 49) / 50 end)
    returning j.id, j.token, j.name, j.module, j.options, j.fresh, j.total, j.created_at
    into job_id, token, name, module, options, fresh, total, created_at;
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

-- The number of lines of a chunk without a result.
create function pending_lines(c job_chunk) returns int
language plpgsql stable as $$
begin
  if c.attempt = 0 then
    return cardinality(c.checks) + cardinality(c.duplicates);
  end if;
  return cardinality(c.checks) + cardinality(c.duplicates) - (
    select count(*)::int from job_result r
    where r.job_id = c.job_id and r.index = any(c.checks || c.duplicates));
end
$$;

-- Lock order: node, job_chunk, job, account_schedule, result_cache; within a table the order of the primary key.

-- Locks the waiting chunks with the lowest start tags.
create function lock_next_chunks(
  p_max_chunks int, p_modules text[], p_max_start_tag bigint, p_excluded_suspect_accounts bigint[]
) returns table (job_id bigint, number int, start_tag bigint)
language plpgsql rows 16 as $$
#variable_conflict use_column
begin
  return query
    select c.job_id, c.number, c.start_tag from job_chunk c
    where c.state = 'waiting' and c.module = any(p_modules) and c.start_tag <= p_max_start_tag
      and (c.crash_count = 0 or c.account_id <> all(p_excluded_suspect_accounts))
    order by c.start_tag, c.job_id, c.number
    limit p_max_chunks for update skip locked;
end
$$;

-- Waiting chunks of accounts that are not excluded, by start tag. Excluded accounts can have a million lines, so
-- only the first 100 chunks are read by start tag. If none matches, the waiting accounts are enumerated (loose
-- index scan).
create function find_chunks_excluding(
  p_max_chunks int, p_modules text[], p_excluded_accounts bigint[], p_max_start_tag bigint,
  p_excluded_suspect_accounts bigint[]
) returns table (job_id bigint, number int)
language plpgsql stable rows 16 as $$
#variable_conflict use_column
begin
  return query
    select c.job_id, c.number
    from (
      select * from job_chunk c
      where c.state = 'waiting' and c.start_tag <= p_max_start_tag
      order by c.start_tag, c.job_id, c.number limit 100) c
    where c.module = any(p_modules) and c.account_id <> all(p_excluded_accounts)
      and (c.crash_count = 0 or c.account_id <> all(p_excluded_suspect_accounts))
    order by c.start_tag, c.job_id, c.number limit p_max_chunks;
  if found then
    return;
  end if;
  return query
    with recursive waiting as (
      (select c.account_id from job_chunk c where c.state = 'waiting' order by c.account_id limit 1)
      union all
      select (
        select c.account_id from job_chunk c
        where c.state = 'waiting' and c.account_id > w.account_id order by c.account_id limit 1)
      from waiting w where w.account_id is not null)
    select c.job_id, c.number
    from waiting w cross join lateral (
      select * from job_chunk c
      -- row comparison, because only the index job_chunk_account has this order
      where c.state = 'waiting' and (c.account_id, c.start_tag) >= (w.account_id, -p_max_start_tag)
        and (c.account_id, c.start_tag) <= (w.account_id, p_max_start_tag)
        and c.module = any(p_modules)
        and (c.crash_count = 0 or c.account_id <> all(p_excluded_suspect_accounts))
      order by c.account_id, c.start_tag limit p_max_chunks) c
    where w.account_id <> all(p_excluded_accounts)
    order by c.start_tag, c.job_id, c.number limit p_max_chunks;
end
$$;

-- Claims up to p_max_chunks chunks, the lowest start tags first. If few chunks wait, a node claims an equal share of
-- them, so that the other nodes can claim the rest.
--
-- p_excluded_accounts: accounts whose chunks are not claimed.
-- p_new_accounts_only: only chunks with a start tag near the virtual time, as those of new accounts.
-- p_excluded_suspect_accounts: accounts whose crashed chunks are not claimed; null: no crashed chunk is claimed.
create function claim_chunks(
  p_owner bigint, p_max_chunks int, p_modules text[], p_excluded_accounts bigint[], p_new_accounts_only boolean,
  p_excluded_suspect_accounts bigint[]
) returns table (
  job_id bigint, number int, attempt int, account_id bigint, module text, options json,
  fresh boolean, checks int[], inputs bytea[], crash_count int, suspects int[], solo_crashes int[],
  attempts int[]
)
-- few rows, all found by key; a plan that was cached while the tables were almost empty would scan them
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  jobs bigint[];
  numbers int[];
  latest bigint;
  max_start_tag bigint := 9223372036854775807;
  nodes int;
  claimed_job record;
begin
  perform 1 from node n where n.id = p_owner and n.in_flight_at_crash is null for key share;
  if not found then
    return;  -- the lease expired
  end if;
  if p_new_accounts_only then
    max_start_tag := (select f.last_value + 100 from virtual_time f);
  end if;
  if p_max_chunks > 1 then
    nodes := (
      select count(*) from node n where n.lease_expires_at > clock_timestamp() and 'coordinate' = any(n.roles));
    if nodes > 1 then
      p_max_chunks := (
        select greatest(1, least(p_max_chunks, (count(*) + nodes - 1) / nodes)) from (
          select 1 from job_chunk c where c.state = 'waiting'
          order by c.start_tag, c.job_id, c.number limit p_max_chunks * nodes) w);
    end if;
  end if;
  if p_excluded_accounts = '{}' then
    select array_agg(c.job_id), array_agg(c.number), max(c.start_tag)
      into jobs, numbers, latest
      from lock_next_chunks(p_max_chunks, p_modules, max_start_tag, p_excluded_suspect_accounts) c;
  else
    -- twice the number, because other nodes can lock some of them
    select array_agg(c.job_id), array_agg(c.number), max(c.start_tag)
      into jobs, numbers, latest
      from (
        select c.job_id, c.number, c.start_tag
        from find_chunks_excluding(
            2 * p_max_chunks, p_modules, p_excluded_accounts, max_start_tag, p_excluded_suspect_accounts) o
          join job_chunk c on c.job_id = o.job_id and c.number = o.number
        where c.state = 'waiting'
        order by c.start_tag, c.job_id, c.number
        limit p_max_chunks for update of c skip locked) c;
  end if;
  if jobs is null then
    return;
  end if;
  perform setval('virtual_time', greatest(latest, (select f.last_value from virtual_time f)));
  for claimed_job in
    select c.job_id as id, sum(pending_lines(c)) as lines
    from unnest(jobs, numbers) m(job_id, number)
      join job_chunk c on c.job_id = m.job_id and c.number = m.number
    group by c.job_id order by c.job_id
  loop
    update job j
      set running = j.running + claimed_job.lines, version = j.version + 1, state = 'running',
        started_at = coalesce(j.started_at, clock_timestamp())
      where j.id = claimed_job.id;
  end loop;
  return query
    with claimed as (
      update job_chunk c
        set state = 'claimed', owner = p_owner, attempt = c.attempt + 1
        from unnest(jobs, numbers) m(job_id, number)
        where c.job_id = m.job_id and c.number = m.number
        returning c.*)
    select m.job_id, m.number, m.attempt, m.account_id, m.module, j.options, j.fresh,
      coalesce(w.checks, '{}'), coalesce(w.inputs, '{}'), m.crash_count, m.suspects, m.solo_crashes,
      m.attempts
    from claimed m
      join job j on j.id = m.job_id
      -- decompresses each page once
      cross join lateral (
        select array_agg(l.index order by l.index) as checks, array_agg(l.input order by l.index) as inputs
        from job_input p
          cross join lateral (
            select (p.page * 50 + i.ord - 1)::int as index, i.input
            from unnest(p.inputs) with ordinality i(input, ord)) l
        where p.job_id = m.job_id
          and p.page = any(array(select distinct c.index / 50 from unnest(m.checks) c(index)))
          and l.index = any(m.checks)
          and (m.attempt = 1 or not exists (
            select 1 from job_result r where r.job_id = m.job_id and r.index = l.index))) w
    order by m.start_tag, m.job_id, m.number;
end
$$;

-- Writes results of chunks that the owner still holds and completes chunks and jobs. Idempotent. Returns the
-- chunks that the owner no longer holds; their results are ignored.
create function write_results(
  p_owner bigint, p_retention interval, p_chunk_jobs bigint[], p_chunk_numbers int[], p_chunk_attempts int[],
  p_completed boolean[], p_jobs bigint[], p_numbers int[], p_indexes int[], p_verdicts text[], p_bodies bytea[],
  p_cache_keys text[], p_checked_at timestamptz[], p_expires_at timestamptz[]
) returns table (job_id bigint, number int)
-- few rows, all found by key; a plan that was cached while the tables were almost empty would scan them
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  owned_jobs bigint[];
  owned_numbers int[];
  owned_completed boolean[];
  job_ids bigint[];
  versions bigint[];
begin
  select array_agg(c.job_id), array_agg(c.number), array_agg(c.completed)
    into owned_jobs, owned_numbers, owned_completed
    from (
      select c.job_id, c.number, h.completed
      from unnest(p_chunk_jobs, p_chunk_numbers, p_chunk_attempts, p_completed) h(job_id, number, attempt, completed)
        join job_chunk c on c.job_id = h.job_id and c.number = h.number
      where c.state = 'claimed' and c.owner = p_owner and c.attempt = h.attempt
      order by c.job_id, c.number for update of c) c;
  select array_agg(j.id), array_agg(j.version + 1) into job_ids, versions
    from (select j.id, j.version from job j where j.id = any(owned_jobs) order by j.id for update) j;
  with owned as (
    select g.job_id, g.number, g.completed, v.version
    from unnest(owned_jobs, owned_numbers, owned_completed) g(job_id, number, completed)
      join unnest(job_ids, versions) v(job_id, version) on v.job_id = g.job_id),
  inserted as (
    insert into job_result as r (job_id, index, version, verdict, body)
      select n.job_id, n.index, g.version, n.verdict, n.body
      from unnest(p_jobs, p_numbers, p_indexes, p_verdicts, p_bodies) n(job_id, number, index, verdict, body)
        join owned g on g.job_id = n.job_id and g.number = n.number
      on conflict do nothing returning r.job_id, r.index, r.version, r.verdict),
  duplicate as materialized (
    select c.job_id, d.index, d.first
    from owned g
      join job_chunk c on c.job_id = g.job_id and c.number = g.number and c.duplicates <> '{}'
      cross join unnest(c.duplicates, c.duplicate_of) d(index, first)),
  inserted_duplicate as (
    insert into job_result as r (job_id, index, version, verdict, duplicate_of)
      select f.job_id, d.index, f.version, f.verdict, f.index
      from duplicate d join inserted f on f.job_id = d.job_id and f.index = d.first
      on conflict do nothing returning r.job_id, r.verdict),
  ended as (
    update job_chunk c set state = 'done', owner = null
      from owned g
      where g.completed and c.job_id = g.job_id and c.number = g.number
      returning c.job_id),
  counts as (
    select v.job_id, count(*)::int as lines, (count(*) filter (where v.verdict = 'pass'))::int as pass,
      (count(*) filter (where v.verdict = 'warn'))::int as warn,
      (count(*) filter (where v.verdict = 'fail'))::int as fail,
      (count(*) filter (where v.verdict = 'error'))::int as error
    from (
      select f.job_id, f.verdict from inserted f
      union all select d.job_id, d.verdict from inserted_duplicate d) v
    group by v.job_id),
  done as (select e.job_id, count(*)::int as chunks from ended e group by e.job_id)
  update job j
    set version = v.version, running = j.running - coalesce(n.lines, 0),
      pass = j.pass + coalesce(n.pass, 0), warn = j.warn + coalesce(n.warn, 0),
      fail = j.fail + coalesce(n.fail, 0), error = j.error + coalesce(n.error, 0),
      pending_chunks = j.pending_chunks - coalesce(d.chunks, 0),
      state = case when j.pending_chunks = d.chunks and j.state = 'running' then 'completed' else j.state end,
      finished_at = case when j.pending_chunks = d.chunks and j.state = 'running' then clock_timestamp()
        else j.finished_at end,
      expires_at = case when j.pending_chunks = d.chunks and j.state = 'running'
        then clock_timestamp() + p_retention else j.expires_at end
    from unnest(job_ids, versions) v(job_id, version)
      left join counts n on n.job_id = v.job_id left join done d on d.job_id = v.job_id
    where j.id = v.job_id and (n.lines > 0 or d.chunks > 0);
  -- last and in key order, see the lock order
  insert into result_cache as cached (key, job_id, index, checked_at, expires_at)
    select distinct on (n.key) n.key, n.job_id, n.index, n.checked_at, n.expires_at
    from unnest(p_jobs, p_numbers, p_indexes, p_cache_keys, p_checked_at, p_expires_at)
        n(job_id, number, index, key, checked_at, expires_at)
      join unnest(owned_jobs, owned_numbers) g(job_id, number)
        on g.job_id = n.job_id and g.number = n.number
    where n.key is not null
    order by n.key, n.checked_at desc
    on conflict (key) do update
      set body = null, job_id = excluded.job_id, index = excluded.index,
        checked_at = excluded.checked_at, expires_at = excluded.expires_at
      where cached.checked_at < excluded.checked_at;
  return query
    select h.job_id, h.number from unnest(p_chunk_jobs, p_chunk_numbers) h(job_id, number)
    except select g.job_id, g.number from unnest(owned_jobs, owned_numbers) g(job_id, number);
end
$$;

-- Returns claimed chunks to the queue. After a crash, the lines in flight become suspects.
create function release_chunks(p_owner bigint, p_jobs bigint[], p_numbers int[], p_crashed boolean)
returns void
language plpgsql as $$
declare
  released_job record;
  only_one_in_flight boolean;
begin
  perform 1 from job_chunk c
    where c.owner = p_owner and c.state = 'claimed'
      and (c.job_id, c.number) in (select * from unnest(p_jobs, p_numbers))
    order by c.job_id, c.number for update;
  for released_job in
    select c.job_id, sum(pending_lines(c)) as lines from job_chunk c
    where c.owner = p_owner and c.state = 'claimed'
      and (c.job_id, c.number) in (select * from unnest(p_jobs, p_numbers))
    group by c.job_id order by c.job_id
  loop
    update job j set running = j.running - released_job.lines, version = j.version + 1
      where j.id = released_job.job_id;
  end loop;
  only_one_in_flight := 1 = (select n.in_flight_at_crash from node n where n.id = p_owner);
  update job_chunk c
    set state = 'waiting', owner = null, in_flight = '{}', attempts = c.attempts || c.in_flight,
      crash_count = c.crash_count + p_crashed::int,
      suspects = case when p_crashed and not only_one_in_flight then c.suspects || c.in_flight else c.suspects end,
      solo_crashes = case
        when p_crashed and only_one_in_flight then c.solo_crashes || c.in_flight else c.solo_crashes end
    where c.owner = p_owner and c.state = 'claimed'
      and (c.job_id, c.number) in (select * from unnest(p_jobs, p_numbers));
  if found then
    perform pg_notify('chunks_waiting', '');
  end if;
end
$$;

-- Releases up to p_max_chunks chunks of a coordinator and returns their number. If there are fewer, deletes its lease.
-- The caller locks the row of the coordinator first to exclude concurrent claims.
create function release_slice(p_owner bigint, p_max_chunks int, p_crashed boolean) returns int
language plpgsql as $$
declare
  jobs bigint[];
  numbers int[];
begin
  select array_agg(c.job_id), array_agg(c.number) into jobs, numbers
    from (
      select c.job_id, c.number from job_chunk c
      where c.owner = p_owner order by c.job_id, c.number limit p_max_chunks) c;
  if jobs is not null then
    perform release_chunks(p_owner, jobs, numbers, p_crashed);
  end if;
  if coalesce(cardinality(jobs), 0) < p_max_chunks then
    delete from node n where n.id = p_owner and n.name is not null;
    if found then
      perform pg_notify('nodes_changed', '');
    end if;
    delete from node n where n.id = p_owner;
  end if;
  return coalesce(cardinality(jobs), 0);
end
$$;

-- Releases a slice of the chunks of a coordinator that stops and returns their number.
create function deregister_node(p_owner bigint, p_max_chunks int) returns int
language plpgsql as $$
begin
  perform 1 from node n where n.id = p_owner for update;
  return release_slice(p_owner, p_max_chunks, false);
end
$$;

-- Releases a slice of the chunks of a coordinator whose lease expired; no row if there is none. One coordinator at a
-- time, because a second one would violate the lock order. After the first slice, the lease cannot be renewed.
create function reap_expired_node(p_max_chunks int) returns table (expired_node bigint, chunks int)
language plpgsql as $$
begin
  select n.id into expired_node from node n where n.lease_expires_at < clock_timestamp()
    order by n.id limit 1 for update skip locked;
  if not found then
    return;
  end if;
  update node n
    set in_flight_at_crash = (
      select coalesce(sum(cardinality(c.in_flight)), 0) from job_chunk c where c.owner = expired_node)
    where n.id = expired_node and n.in_flight_at_crash is null;
  chunks := release_slice(expired_node, p_max_chunks, true);
  return next;
end
$$;

-- Cancels or fails an unfinished job. Existing results are kept. A finished job does not change.
create function terminate_job(p_job bigint, p_final_state text, p_retention interval) returns void
language plpgsql as $$
begin
  perform 1 from job_chunk c
    where c.job_id = p_job and c.state in ('waiting', 'claimed') order by c.number for update;
  perform 1 from job j where j.id = p_job and j.state in ('queued', 'running') for update;
  if not found then
    return;
  end if;
  update job_chunk c set state = 'cancelled', owner = null
    where c.job_id = p_job and c.state in ('waiting', 'claimed');
  if p_final_state = 'cancelled' then
    update job j set state = 'cancelling' where j.id = p_job;
  end if;
  update job j
    set state = p_final_state, version = j.version + 1, running = 0,
      cancelled = j.total - j.pass - j.warn - j.fail - j.error,
      finished_at = clock_timestamp(), expires_at = clock_timestamp() + p_retention
    where j.id = p_job;
end
$$;

-- Recalculates the next start tag of an account, so that cancelled chunks do not delay its next job.
create function reset_account_schedule(p_account bigint) returns void
language sql as $$
  update account_schedule t
    set next_start_tag = coalesce(
      (select max(c.start_tag) + 50 from job_chunk c
        where c.account_id = t.account_id and c.state = 'waiting'),
      (select f.last_value from virtual_time f))
    where t.account_id = p_account
$$;

-- Cancels a job of the account; other jobs and finished jobs do not change.
create function cancel_job(p_token text, p_account bigint, p_retention interval) returns void
language plpgsql as $$
begin
  perform terminate_job(j.id, 'cancelled', p_retention)
    from job j where j.token = p_token and j.account_id = p_account;
  if found then
    perform reset_account_schedule(p_account);
  end if;
end
$$;

-- Deletes a slice of the jobs that expired before p_delay and returns its size. Most of their results have been dropped
-- with their partition. A row counts once, and once more for each 8 KiB of its body: deleting a large body reads its
-- pages. The row of the job is kept for a year, so that a request for it returns 410.
create function purge_jobs(p_max_size int, p_delay interval) returns int
-- few rows, all found by key or by the head of an index
language plpgsql set enable_seqscan = off as $$
declare
  expired_job bigint;
  deleted int;
  last_index int;
  remaining int := p_max_size;
begin
  while remaining > 0 loop
    select j.id into expired_job from job j
      where j.expires_at <= statement_timestamp() - p_delay and j.purged_at is null
      order by j.expires_at limit 1 for update skip locked;
    exit when not found;
    select max(s.index), coalesce(sum(s.size), 0) into last_index, deleted
      from (
        select r.index, r.size, sum(r.size) over (order by r.index) - r.size as before
        from (
          select r.index, 1 + coalesce(pg_column_size(r.body), 0) / 8192 as size
          from job_result r where r.job_id = expired_job order by r.index limit remaining) r) s
      where s.before < remaining;
    delete from job_result r where r.job_id = expired_job and r.index <= last_index;
    remaining := remaining - deleted;
    if remaining > 0 then
      delete from job_input p where p.job_id = expired_job;
      delete from job_chunk c where c.job_id = expired_job;
      update job j set purged_at = clock_timestamp() where j.id = expired_job;
      remaining := remaining - 1;
    end if;
  end loop;
  delete from job j where j.id in (
    select j.id from job j where j.purged_at <= statement_timestamp() - interval '1 year'
    order by j.purged_at limit greatest(remaining, 0) for update skip locked);
  get diagnostics deleted = row_count;
  return least(p_max_size, p_max_size - remaining + deleted);
end
$$;

-- Cancels and expires up to p_max_jobs jobs of deleted accounts, deletes such accounts without jobs, and returns
-- the number of jobs.
create function cancel_jobs_of_deleted_accounts(p_max_jobs int) returns int
language plpgsql as $$
declare
  abandoned_job record;
  cancelled_jobs int := 0;
begin
  for abandoned_job in
    -- lateral, because without statistics of account the planner reads all jobs
    select j.id from account a
      cross join lateral (
        select j.id from job j
        where j.account_id = a.id and j.purged_at is null
          and coalesce(j.expires_at > statement_timestamp(), true)
        order by j.id limit p_max_jobs) j
    where a.deleted_at is not null
    order by j.id limit p_max_jobs
  loop
    perform terminate_job(abandoned_job.id, 'cancelled', interval '0');
    -- so that its results are deleted now and not with their partition
    update job j set expires_at = clock_timestamp() - interval '1 year' where j.id = abandoned_job.id;
    cancelled_jobs := cancelled_jobs + 1;
  end loop;
  delete from account a where a.id in (
    select a.id from account a
    where a.deleted_at is not null
      and not exists (select 1 from job j where j.account_id = a.id)
    limit p_max_jobs - cancelled_jobs for update skip locked);
  return cancelled_jobs;
end
$$;
