-- A job without its lines. Counts are of lines, equal ones and all.
create table job (
  id bigint generated always as identity primary key,
  token text not null unique,
  account_id bigint not null references account,
  module text not null,
  options json not null,  -- what differs from the module's defaults; jsonb refuses \u0000
  fresh boolean not null,  -- known results are not good enough
  state text not null default 'queued' check (
    state in ('queued', 'running', 'completed', 'cancelling', 'cancelled', 'failed')),
  version bigint not null default 1,  -- grows with every change that can be seen
  total int not null check (total between 1 and 500),
  running int not null default 0 check (running >= 0),
  pass int not null default 0,
  warn int not null default 0,
  fail int not null default 0,
  error int not null default 0,
  cancelled int not null default 0,
  chunks_left int not null check (chunks_left >= 0),
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

-- No bug of any node can make a job take a step that there is not.
create function refuse_other_steps() returns trigger
language plpgsql as $$
begin
  if (old.state, new.state) not in (
    ('queued', 'running'), ('running', 'completed'),
    ('queued', 'cancelling'), ('running', 'cancelling'), ('cancelling', 'cancelled'),
    ('queued', 'failed'), ('running', 'failed')
  ) then
    raise exception 'a job cannot go from % to %', old.state, new.state;
  end if;
  return new;
end
$$;
create trigger job_steps before update of state on job
  for each row when (old.state <> new.state) execute function refuse_other_steps();

-- The lines as they came, in UTF-8, 50 to a page; bytes, because a text cannot hold U+0000. Neither here nor at the results a foreign key: it would cost
-- a look-up for each row, and both are written only beside a locked row of their job.
create table job_input (
  job_id bigint not null,
  page int not null,
  inputs bytea[] not null,
  primary key (job_id, page)
);

-- The results: appended, never changed.
create table job_result (
  job_id bigint not null,
  index int not null,
  version bigint not null,  -- of the job, with which it can be seen
  verdict text not null check (verdict in ('pass', 'warn', 'fail', 'error')),
  same_as int,  -- the line with an equal target whose body it shares; null: it has its own
  body bytea,
  primary key (job_id, index),
  check ((same_as is null) <> (body is null))
);

-- What a line's check found is told again from where it stands, rather than stored twice.
alter table result_cache
  alter column body drop not null,
  add column job_id bigint,
  add column index int,
  add check ((body is null) = (job_id is not null and index is not null));

-- The same request again must do nothing again, for a day.
create table job_request (
  key_id bigint not null references api_key on delete cascade,
  name text not null,
  body_hash text not null,
  job_id bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (key_id, name)
);
create index job_request_created_at on job_request (created_at);

-- The coordinators that live. One that does not renew its lease is declared dead and its row is
-- deleted, so that it finds out when it wakes.
create table node (
  id bigint generated always as identity primary key,
  lease_until timestamptz not null
);

-- What is claimed at once: up to 50 checks of one job.
create table job_chunk (
  job_id bigint not null references job on delete cascade,
  number int not null,
  account_id bigint not null,
  module text not null,
  rank bigint not null,  -- whose turn it is: start-time fair queueing between accounts
  state text not null default 'waiting' check (
    state in ('waiting', 'claimed', 'done', 'cancelled')),
  owner bigint references node,
  attempt int not null default 0,  -- how often it was claimed: an earlier claim cannot write
  checks int[] not null,  -- indexes of the lines that are checked: the first of each target
  copies int[] not null,  -- indexes of the lines that share a result of these
  copy_of int[] not null,  -- and whose
  crashes int not null default 0,  -- how often its owner died
  watched int[] not null default '{}',  -- after a crash: the lines that are being checked right now
  alone int[] not null default '{}',  -- lines during which it crashed again, among others
  struck int[] not null default '{}',  -- a line for each crash during which it was alone
  primary key (job_id, number),
  check ((state = 'claimed') = (owner is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index job_chunk_waiting on job_chunk (rank, job_id, number) where state = 'waiting';
create index job_chunk_account on job_chunk (account_id, rank) where state = 'waiting';
create index job_chunk_owner on job_chunk (owner) where owner is not null;

-- The rank of the latest claim. A sequence, because nobody waits for it and it need not be exact.
create sequence fair_clock minvalue 0 start 0;

-- Where the next job of an account stands at the earliest.
create table account_turn (
  account_id bigint primary key references account on delete cascade,
  next_rank bigint not null
);

-- Takes both quotas and writes the job, or does nothing. When it is committed, the job is accepted.
--
-- firsts says for each line which one is the first with an equal target; null: all differ.
-- A quota of 0 is none. In an answer of 'denied', exceeded is the quota that forbids it.
create function create_job(
  of_token text, of_account bigint, of_key bigint, of_module text, of_options json,
  is_fresh boolean, inputs bytea[], firsts int[], request_name text, request_hash text,
  key_limit int, account_limit int, span bigint
) returns table (
  outcome text, job_id bigint, token text, module text, options json, fresh boolean, total int,
  created_at timestamptz, policies text[], remaining int[], reset_micros bigint[], exceeded text,
  retry_micros bigint
)
language plpgsql as $$
#variable_conflict use_column
declare
  lines constant int := cardinality(inputs);
  earlier job_request;
  quota record;
  granted_policies text[] := '{}';
  granted_keys text[] := '{}';
  granted_at bigint[] := '{}';
  first_rank bigint;
begin
  if request_name is not null then
    if not pg_try_advisory_xact_lock(hashtextextended(of_key || ' ' || request_name, 0)) then
      outcome := 'pending';
      return next;
      return;
    end if;
    select * into earlier from job_request r
      where r.key_id = of_key and r.name = request_name
        and r.created_at > clock_timestamp() - interval '24 hours';
    if found and earlier.body_hash <> request_hash then
      outcome := 'mismatch';
      return next;
      return;
    elsif found then
      return query
        select 'replayed', j.id, j.token, j.module, j.options, j.fresh, j.total, j.created_at,
          '{}'::text[], '{}'::int[], '{}'::bigint[], null::text, null::bigint
        from job j where j.id = earlier.job_id;
      return;
    end if;
  end if;

  policies := '{}';
  remaining := '{}';
  reset_micros := '{}';
  for quota in
    select a.policy, a.key, t.granted, t.remaining, t.reset_micros, t.retry_micros, t.taken_at
    from (
      select array_agg(w.policy order by w.policy) as policies,
        array_agg(w.key order by w.policy) as keys,
        array_agg(w.most order by w.policy) as limits
      from (values ('jobs', of_key::text, key_limit), ('jobs-account', of_account::text, account_limit))
        as w(policy, key, most)
      where w.most > 0
    ) wanted,
    lateral take_quotas(
      wanted.policies, wanted.keys, array_fill(1, array[cardinality(wanted.policies)]),
      wanted.limits, array_fill(span, array[cardinality(wanted.policies)]), null) t,
    lateral (select wanted.policies[t.item] as policy, wanted.keys[t.item] as key) a
    where wanted.policies is not null
  loop
    policies := policies || quota.policy;
    remaining := remaining || quota.remaining;
    reset_micros := reset_micros || quota.reset_micros;
    if quota.granted then
      granted_policies := granted_policies || quota.policy;
      granted_keys := granted_keys || quota.key;
      granted_at := granted_at || quota.taken_at;
    elsif quota.retry_micros > coalesce(retry_micros, 0) then
      exceeded := quota.policy;
      retry_micros := quota.retry_micros;
    end if;
  end loop;
  if exceeded is not null then
    perform refund_quotas(
      granted_policies, granted_keys, array_fill(1, array[cardinality(granted_policies)]), granted_at);
    remaining := array(
      select q.remaining + (q.policy = any(granted_policies))::int
      from unnest(policies, remaining) with ordinality as q(policy, remaining, ord) order by q.ord);
    outcome := 'denied';
    return next;
    return;
  end if;

  insert into job as j (token, account_id, module, options, fresh, total, chunks_left)
    values (
      of_token, of_account, of_module, of_options, is_fresh, lines,
      case when firsts is null then (lines + 49) / 50
        else ((select count(*) from unnest(firsts) with ordinality f(first, ord)
          where f.first = f.ord - 1) + 49) / 50 end)
    returning j.id, j.token, j.module, j.options, j.fresh, j.total, j.created_at
    into job_id, token, module, options, fresh, total, created_at;
  insert into job_input (job_id, page, inputs)
    select create_job.job_id, p, inputs[p * 50 + 1 : p * 50 + 50]
    from generate_series(0, (lines - 1) / 50) p;
  insert into account_turn as t (account_id, next_rank)
    values (of_account, (select c.last_value from fair_clock c) + lines)
    on conflict (account_id) do update
      set next_rank = greatest(t.next_rank, excluded.next_rank - lines) + lines
    returning t.next_rank - lines into first_rank;
  if firsts is null then
    insert into job_chunk (job_id, number, account_id, module, rank, checks, copies, copy_of)
      select create_job.job_id, n, of_account, of_module, first_rank + n * 50,
        array(select generate_series(n * 50, least(n * 50 + 50, lines) - 1)), '{}', '{}'
      from generate_series(0, (lines - 1) / 50) n;
  else
    insert into job_chunk (job_id, number, account_id, module, rank, checks, copies, copy_of)
      with line as (
        select (f.ord - 1)::int as index, f.first
        from unnest(firsts) with ordinality f(first, ord)),
      own as (
        select l.index, ((row_number() over (order by l.index)) - 1) / 50 as number
        from line l where l.first = l.index)
      select create_job.job_id, o.number, of_account, of_module, first_rank + min(o.index),
        array_agg(o.index order by o.index) filter (where l.index = o.index),
        coalesce(array_agg(l.index order by l.index) filter (where l.index <> o.index), '{}'),
        coalesce(array_agg(o.index order by l.index) filter (where l.index <> o.index), '{}')
      from own o join line l on l.first = o.index
      group by o.number;
  end if;
  if request_name is not null then
    insert into job_request as r (key_id, name, body_hash, job_id)
      values (of_key, request_name, request_hash, create_job.job_id)
      on conflict (key_id, name) do update
        set body_hash = excluded.body_hash, job_id = excluded.job_id,
          created_at = excluded.created_at;
  end if;
  outcome := 'created';
  return next;
end
$$;

-- How many lines of a chunk have no result yet.
create function open_lines(c job_chunk) returns int
language plpgsql stable as $$
begin
  if c.attempt = 0 then
    return cardinality(c.checks) + cardinality(c.copies);
  end if;
  return cardinality(c.checks) + cardinality(c.copies) - (
    select count(*)::int from job_result r
    where r.job_id = c.job_id and r.index = any(c.checks || c.copies));
end
$$;

-- Whoever locks several locks nodes before chunks before jobs before account_turn, each in their order.

-- Locks the chunks whose turn it is.
create function lock_next_chunks(
  most int, known_modules text[], last_rank bigint, suspects_not_of bigint[]
) returns table (job_id bigint, number int, rank bigint)
-- along the ranks, rather than by sorting all that wait, which few statistics warn of in time
language plpgsql rows 16 set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
    select c.job_id, c.number, c.rank from job_chunk c
    where c.state = 'waiting' and c.module = any(known_modules) and c.rank <= last_rank
      and (c.crashes = 0 or c.account_id <> all(suspects_not_of))
    order by c.rank, c.job_id, c.number
    limit most for update skip locked;
end
$$;

-- Some chunks of others than these accounts, those first whose turn it is. What is passed over may be a
-- million lines, so the look along the ranks is short. Where it finds nothing, the accounts that wait
-- are gone through, from one to the next.
create function chunks_of_others(
  most int, known_modules text[], not_of bigint[], last_rank bigint, suspects_not_of bigint[]
) returns table (job_id bigint, number int)
language plpgsql stable rows 16 as $$
#variable_conflict use_column
begin
  return query
    select c.job_id, c.number
    from (
      select * from job_chunk c
      where c.state = 'waiting' and c.rank <= last_rank
      order by c.rank, c.job_id, c.number limit 100) c
    where c.module = any(known_modules) and c.account_id <> all(not_of)
      and (c.crashes = 0 or c.account_id <> all(suspects_not_of))
    order by c.rank, c.job_id, c.number limit most;
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
      -- said so that no other index than that of accounts has this order, whatever the statistics are
      where c.state = 'waiting' and (c.account_id, c.rank) >= (w.account_id, -last_rank)
        and (c.account_id, c.rank) <= (w.account_id, last_rank)
        and c.module = any(known_modules)
        and (c.crashes = 0 or c.account_id <> all(suspects_not_of))
      order by c.account_id, c.rank limit most) c
    where w.account_id <> all(not_of)
    order by c.rank, c.job_id, c.number limit most;
end
$$;

-- Claims up to so many chunks, those first whose turn it is.
--
-- not_of: accounts that get nothing now. near: only what a newcomer would get.
-- suspects_not_of: accounts that get no chunks whose owner died, which are done slowly; null: nobody.
create function claim_chunks(
  of_owner bigint, most int, known_modules text[], not_of bigint[], near boolean,
  suspects_not_of bigint[]
) returns table (
  job_id bigint, number int, attempt int, account_id bigint, module text, options json,
  fresh boolean, checks int[], inputs bytea[], crashes int, alone int[], struck int[]
)
-- the rows are few and known by their keys, whatever the statistics say
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  jobs bigint[];
  numbers int[];
  latest bigint;
  last_rank bigint := 9223372036854775807;
  it record;
begin
  perform 1 from node n where n.id = of_owner for key share;
  if not found then
    return;  -- declared dead
  end if;
  if near then
    last_rank := (select f.last_value + 100 from fair_clock f);
  end if;
  if not_of = '{}' then
    select array_agg(c.job_id), array_agg(c.number), max(c.rank)
      into jobs, numbers, latest
      from lock_next_chunks(most, known_modules, last_rank, suspects_not_of) c;
  else
    -- twice as many, because some may be others' in this moment
    select array_agg(c.job_id), array_agg(c.number), max(c.rank)
      into jobs, numbers, latest
      from (
        select c.job_id, c.number, c.rank
        from chunks_of_others(2 * most, known_modules, not_of, last_rank, suspects_not_of) o
          join job_chunk c on c.job_id = o.job_id and c.number = o.number
        where c.state = 'waiting'
        order by c.rank, c.job_id, c.number
        limit most for update of c skip locked) c;
  end if;
  if jobs is null then
    return;
  end if;
  perform setval('fair_clock', greatest(latest, (select f.last_value from fair_clock f)));
  for it in
    select c.job_id as id, sum(open_lines(c)) as lines
    from unnest(jobs, numbers) m(job_id, number)
      join job_chunk c on c.job_id = m.job_id and c.number = m.number
    group by c.job_id order by c.job_id
  loop
    update job j
      set running = j.running + it.lines, version = j.version + 1, state = 'running',
        started_at = coalesce(j.started_at, clock_timestamp())
      where j.id = it.id;
  end loop;
  return query
    with mine as (
      update job_chunk c
        set state = 'claimed', owner = of_owner, attempt = c.attempt + 1
        from unnest(jobs, numbers) m(job_id, number)
        where c.job_id = m.job_id and c.number = m.number
        returning c.*)
    select m.job_id, m.number, m.attempt, m.account_id, m.module, j.options, j.fresh,
      coalesce(w.checks, '{}'), coalesce(w.inputs, '{}'), m.crashes, m.alone, m.struck
    from mine m
      join job j on j.id = m.job_id
      -- a page is unpacked once, not once for each of its lines
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
    order by m.rank, m.job_id, m.number;
end
$$;

-- Writes results of chunks that are still held, and ends the chunks and jobs that have all. Answers
-- with the chunks that are held no more: what was found out for them is not wanted.
create function write_results(
  of_owner bigint, keep interval, held_jobs bigint[], held_numbers int[], held_attempts int[],
  ends boolean[], jobs bigint[], numbers int[], indexes int[], verdicts text[], bodies bytea[],
  shared_keys text[], shared_at timestamptz[], shared_until timestamptz[]
) returns table (job_id bigint, number int)
-- the rows are few and known by their keys, whatever the statistics say
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  good_jobs bigint[];
  good_numbers int[];
  good_ends boolean[];
  job_ids bigint[];
  seen bigint[];
begin
  select array_agg(c.job_id), array_agg(c.number), array_agg(c.ends)
    into good_jobs, good_numbers, good_ends
    from (
      select c.job_id, c.number, h.ends
      from unnest(held_jobs, held_numbers, held_attempts, ends) h(job_id, number, attempt, ends)
        join job_chunk c on c.job_id = h.job_id and c.number = h.number
      where c.state = 'claimed' and c.owner = of_owner and c.attempt = h.attempt
      order by c.job_id, c.number for update of c) c;
  select array_agg(j.id), array_agg(j.version + 1) into job_ids, seen
    from (select j.id, j.version from job j where j.id = any(good_jobs) order by j.id for update) j;
  with good as (
    select g.job_id, g.number, g.ends, v.version
    from unnest(good_jobs, good_numbers, good_ends) g(job_id, number, ends)
      join unnest(job_ids, seen) v(job_id, version) on v.job_id = g.job_id),
  fresh as (
    insert into job_result as r (job_id, index, version, verdict, body)
      select n.job_id, n.index, g.version, n.verdict, n.body
      from unnest(jobs, numbers, indexes, verdicts, bodies) n(job_id, number, index, verdict, body)
        join good g on g.job_id = n.job_id and g.number = n.number
      on conflict do nothing returning r.job_id, r.index, r.version, r.verdict),
  copy as materialized (
    select c.job_id, copy.index, copy.first
    from good g
      join job_chunk c on c.job_id = g.job_id and c.number = g.number and c.copies <> '{}'
      cross join unnest(c.copies, c.copy_of) copy(index, first)),
  copied as (
    insert into job_result as r (job_id, index, version, verdict, same_as)
      select f.job_id, c.index, f.version, f.verdict, f.index
      from copy c join fresh f on f.job_id = c.job_id and f.index = c.first
      on conflict do nothing returning r.job_id, r.verdict),
  ended as (
    update job_chunk c set state = 'done', owner = null
      from good g
      where g.ends and c.job_id = g.job_id and c.number = g.number
      returning c.job_id),
  new as (
    select v.job_id, count(*)::int as lines, (count(*) filter (where v.verdict = 'pass'))::int as pass,
      (count(*) filter (where v.verdict = 'warn'))::int as warn,
      (count(*) filter (where v.verdict = 'fail'))::int as fail,
      (count(*) filter (where v.verdict = 'error'))::int as error
    from (select f.job_id, f.verdict from fresh f union all select c.job_id, c.verdict from copied c) v
    group by v.job_id),
  done as (select e.job_id, count(*)::int as chunks from ended e group by e.job_id)
  update job j
    set version = v.version, running = j.running - coalesce(n.lines, 0),
      pass = j.pass + coalesce(n.pass, 0), warn = j.warn + coalesce(n.warn, 0),
      fail = j.fail + coalesce(n.fail, 0), error = j.error + coalesce(n.error, 0),
      chunks_left = j.chunks_left - coalesce(d.chunks, 0)
    from unnest(job_ids, seen) v(job_id, version)
      left join new n on n.job_id = v.job_id left join done d on d.job_id = v.job_id
    where j.id = v.job_id and (n.lines > 0 or d.chunks > 0);
  update job j
    set state = 'completed', finished_at = clock_timestamp(), expires_at = clock_timestamp() + keep
    where j.id = any(job_ids) and j.chunks_left = 0 and j.state = 'running';
  -- Last, and in the order of the keys, as all who write here do, so that none waits in a circle.
  insert into result_cache as kept (key, job_id, index, checked_at, expires_at)
    select distinct on (n.key) n.key, n.job_id, n.index, n.checked_at, n.expires_at
    from unnest(jobs, numbers, indexes, shared_keys, shared_at, shared_until)
        n(job_id, number, index, key, checked_at, expires_at)
      join unnest(good_jobs, good_numbers) g(job_id, number)
        on g.job_id = n.job_id and g.number = n.number
    where n.key is not null
    order by n.key, n.checked_at desc
    on conflict (key) do update
      set body = null, job_id = excluded.job_id, index = excluded.index,
        checked_at = excluded.checked_at, expires_at = excluded.expires_at
      where kept.checked_at < excluded.checked_at;
  return query
    select h.job_id, h.number from unnest(held_jobs, held_numbers) h(job_id, number)
    except select g.job_id, g.number from unnest(good_jobs, good_numbers) g(job_id, number);
end
$$;

-- Puts claimed chunks back in their line. After a crash, what was under way is remembered.
create function release_chunks(of_owner bigint, jobs bigint[], numbers int[], crashed boolean)
returns void
language plpgsql as $$
declare
  it record;
  lonely boolean;
begin
  perform 1 from job_chunk c
    where c.owner = of_owner and c.state = 'claimed'
      and (jobs is null or (c.job_id, c.number) in (select * from unnest(jobs, numbers)))
    order by c.job_id, c.number for update;
  for it in
    select c.job_id, sum(open_lines(c)) as lines from job_chunk c
    where c.owner = of_owner and c.state = 'claimed'
      and (jobs is null or (c.job_id, c.number) in (select * from unnest(jobs, numbers)))
    group by c.job_id order by c.job_id
  loop
    update job j set running = j.running - it.lines, version = j.version + 1 where j.id = it.job_id;
  end loop;
  lonely := 1 = (
    select sum(cardinality(c.watched)) from job_chunk c
    where c.owner = of_owner and c.state = 'claimed');
  update job_chunk c
    set state = 'waiting', owner = null, watched = '{}',
      crashes = c.crashes + crashed::int,
      alone = case when crashed and not lonely then c.alone || c.watched else c.alone end,
      struck = case when crashed and lonely then c.struck || c.watched else c.struck end
    where c.owner = of_owner and c.state = 'claimed'
      and (jobs is null or (c.job_id, c.number) in (select * from unnest(jobs, numbers)));
end
$$;

-- A coordinator ends: what it holds goes back. Its row is locked first, so that no claim is under way.
create function end_node(of_owner bigint) returns void
language plpgsql as $$
begin
  perform 1 from node n where n.id = of_owner for update;
  perform release_chunks(of_owner, null, null, false);
  delete from node n where n.id = of_owner;
end
$$;

-- Takes from a coordinator that is dead what it held; false if there is none. One at a time, because
-- the chunks of a second one would be locked after the jobs of the first.
create function rescue() returns boolean
language plpgsql as $$
declare
  dead bigint;
begin
  select n.id into dead from node n where n.lease_until < clock_timestamp()
    order by n.id limit 1 for update skip locked;
  if not found then
    return false;
  end if;
  perform release_chunks(dead, null, null, true);
  delete from node n where n.id = dead;
  return true;
end
$$;

-- Ends a job before its time; what is done is kept. One that has ended stays as it is.
create function end_job(of_job bigint, final_state text, keep interval) returns void
language plpgsql as $$
begin
  perform 1 from job_chunk c
    where c.job_id = of_job and c.state in ('waiting', 'claimed') order by c.number for update;
  perform 1 from job j where j.id = of_job and j.state in ('queued', 'running') for update;
  if not found then
    return;
  end if;
  update job_chunk c set state = 'cancelled', owner = null
    where c.job_id = of_job and c.state in ('waiting', 'claimed');
  if final_state = 'cancelled' then
    update job j set state = 'cancelling' where j.id = of_job;
  end if;
  update job j
    set state = final_state, version = j.version + 1, running = 0,
      cancelled = j.total - j.pass - j.warn - j.fail - j.error,
      finished_at = clock_timestamp(), expires_at = clock_timestamp() + keep
    where j.id = of_job;
end
$$;

-- What will never be done does not put off what the account wants next. Called last, because
-- account_turn comes last in the order of locks.
create function settle_turn(of_account bigint) returns void
language sql as $$
  update account_turn t
    set next_rank = coalesce(
      (select max(c.rank) + 50 from job_chunk c
        where c.account_id = t.account_id and c.state = 'waiting'),
      (select f.last_value from fair_clock f))
    where t.account_id = of_account
$$;

-- What is done is kept; of a job that has ended, or is another account's, nothing changes.
create function cancel_job(of_token text, of_account bigint, keep interval) returns void
language plpgsql as $$
begin
  perform end_job(j.id, 'cancelled', keep)
    from job j where j.token = of_token and j.account_id = of_account;
  if found then
    perform settle_turn(of_account);
  end if;
end
$$;

-- Deletes up to so many rows of what is not kept any longer, and says how many they were. The job
-- itself stays a year, so that its token can be answered.
create function purge_jobs(most int) returns int
language plpgsql as $$
declare
  old bigint;
  deleted int;
  left_over int := most;
begin
  while left_over > 0 loop
    select j.id into old from job j
      where j.expires_at <= clock_timestamp() and j.purged_at is null
      order by j.expires_at limit 1 for update skip locked;
    exit when not found;
    delete from job_result r where r.job_id = old and r.index in (
      select r.index from job_result r where r.job_id = old order by r.index limit left_over);
    get diagnostics deleted = row_count;
    left_over := left_over - deleted;
    if left_over > 0 then
      delete from job_input p where p.job_id = old;
      delete from job_chunk c where c.job_id = old;
      update job j set purged_at = clock_timestamp() where j.id = old;
      left_over := left_over - 1;
    end if;
  end loop;
  delete from job j where j.id in (
    select j.id from job j where j.purged_at <= clock_timestamp() - interval '1 year'
    order by j.purged_at limit left_over for update skip locked);
  get diagnostics deleted = row_count;
  return most - left_over + deleted;
end
$$;

-- Ends the jobs of accounts that were deleted, lets their results expire, and lets go of the accounts
-- themselves once nothing is left of their jobs.
create function abandon_jobs(most int) returns int
language plpgsql as $$
declare
  it record;
  abandoned int := 0;
begin
  for it in
    select j.id from job j join account a on a.id = j.account_id
    where a.deleted_at is not null and j.purged_at is null
      and coalesce(j.expires_at > clock_timestamp(), true)
    order by j.id limit most
  loop
    perform end_job(it.id, 'cancelled', interval '0');
    update job j set expires_at = clock_timestamp() where j.id = it.id;
    abandoned := abandoned + 1;
  end loop;
  delete from account a where a.id in (
    select a.id from account a
    where a.deleted_at is not null
      and not exists (select 1 from job j where j.account_id = a.id)
    limit most - abandoned for update skip locked);
  return abandoned;
end
$$;
