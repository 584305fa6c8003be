-- Attribution of crashes to lines. The lines in progress are recorded in job_chunk.in_flight.
--
-- 1. A line that was in flight at a crash is a suspect and runs alone. After a second crash, it ends with an error.
-- 2. After two crashes, the lines of a job run one at a time. After three, the remaining ones end with an error.
alter table job
  add column crash_count int not null default 0,  -- crashes that lines of the job can have caused
  add column crashed_node bigint;  -- the node of the latest one, because its chunks are released in slices

-- The number of lines in progress has no effect any more, but node.in_flight_at_crash still marks a node whose chunks
-- are being released. job_chunk.suspects has one element per crash at which the line was in flight.
alter table job_chunk drop column solo_crashes;

-- The recorded lines of a chunk that have no result yet.
create function unfinished_in_flight(c job_chunk) returns int[]
language plpgsql stable as $$
begin
  return array(
    select distinct l.index from unnest(c.in_flight) l(index)
    where not exists (select 1 from job_result r where r.job_id = c.job_id and r.index = l.index)
    order by l.index);
end
$$;

-- Whether all lines of a job that were in flight at an earlier crash have completed since then.
create function suspects_cleared(p_job bigint) returns boolean
language plpgsql stable as $$
begin
  return not exists (
    select 1 from job_chunk c cross join lateral unnest(c.suspects) s(index)
    where c.job_id = p_job
    group by s.index
    having count(*) > 1 or not exists (select 1 from job_result r where r.job_id = p_job and r.index = s.index));
end
$$;

-- Lock order: as in V003.

-- Returns claimed chunks to the queue. After a crash, the lines in flight become suspects, and the crash counts for
-- their jobs. Once a job has crashed, only nodes that knew this when they claimed the chunk count: the failure of many
-- nodes at a time is one crash. The third crash does not count if all earlier suspects have completed.
create or replace function release_chunks(p_owner bigint, p_jobs bigint[], p_numbers int[], p_crashed boolean)
returns void
language plpgsql as $$
declare
  crashed_jobs bigint[] := '{}';
  released_job record;
begin
  if p_crashed then
    crashed_jobs := array(
      select distinct c.job_id from unnest(p_jobs, p_numbers) m(job_id, number)
        join job_chunk c on c.job_id = m.job_id and c.number = m.number
      where c.owner = p_owner and c.state = 'claimed' and unfinished_in_flight(c) <> '{}');
  end if;
  perform 1 from job_chunk c
    where c.job_id = any(p_jobs) and (
      c.owner = p_owner and c.state = 'claimed' and (c.job_id, c.number) in (select * from unnest(p_jobs, p_numbers))
      or c.state = 'waiting' and c.job_id = any(crashed_jobs))
    order by c.job_id, c.number for update;
  if p_crashed then
    update job_chunk c set in_flight = unfinished_in_flight(c)
      where c.owner = p_owner and c.state = 'claimed' and c.in_flight <> '{}'
        and (c.job_id, c.number) in (select * from unnest(p_jobs, p_numbers));
  end if;
  for released_job in
    select c.job_id, sum(pending_lines(c)) as lines,
      c.job_id = any(crashed_jobs) as crashed,
      bool_or(c.crash_count > 0 and c.in_flight <> '{}') as repeated
    from job_chunk c
    where c.owner = p_owner and c.state = 'claimed'
      and (c.job_id, c.number) in (select * from unnest(p_jobs, p_numbers))
    group by c.job_id order by c.job_id
  loop
    update job j set running = j.running - released_job.lines, version = j.version + 1
      where j.id = released_job.job_id;
    if released_job.crashed then
      update job j
        set crashed_node = p_owner,
          crash_count = case when j.crash_count >= 2 and suspects_cleared(j.id) then j.crash_count
            else greatest(1, j.crash_count + released_job.repeated::int) end
        where j.id = released_job.job_id and j.crashed_node is distinct from p_owner;
      -- their lines are recorded before they start
      update job_chunk c set crash_count = 1
        where c.job_id = released_job.job_id and c.state = 'waiting' and c.crash_count = 0;
    end if;
  end loop;
  update job_chunk c
    set state = 'waiting', owner = null, in_flight = '{}', attempts = c.attempts || c.in_flight,
      crash_count = c.crash_count + p_crashed::int,
      suspects = case when p_crashed then c.suspects || c.in_flight else c.suspects end
    where c.owner = p_owner and c.state = 'claimed'
      and (c.job_id, c.number) in (select * from unnest(p_jobs, p_numbers));
  if found then
    perform pg_notify('chunks_waiting', '');
  end if;
end
$$;

-- Whether a node can claim a crashed chunk. All crashed chunks of a job are claimed by one node, so that its suspects
-- run one at a time.
create function can_recover(c job_chunk, p_owner bigint, p_excluded_suspect_accounts bigint[]) returns boolean
language plpgsql stable as $$
begin
  return c.account_id <> all(p_excluded_suspect_accounts) and not exists (
    select 1 from job_chunk o
    where o.job_id = c.job_id and o.state = 'claimed' and o.owner <> p_owner and o.crash_count > 0);
end
$$;

drop function lock_next_chunks(int, text[], bigint, bigint[]);

-- Locks the waiting chunks with the lowest start tags.
create function lock_next_chunks(
  p_owner bigint, p_max_chunks int, p_modules text[], p_max_start_tag bigint, p_excluded_suspect_accounts bigint[]
) returns table (job_id bigint, number int, start_tag bigint)
language plpgsql rows 16 as $$
#variable_conflict use_column
begin
  return query
    select c.job_id, c.number, c.start_tag from job_chunk c
    where c.state = 'waiting' and c.module = any(p_modules) and c.start_tag <= p_max_start_tag
      and (c.crash_count = 0 or can_recover(c, p_owner, p_excluded_suspect_accounts))
    order by c.start_tag, c.job_id, c.number
    limit p_max_chunks for update skip locked;
end
$$;

drop function find_chunks_excluding(int, text[], bigint[], bigint, bigint[]);

-- Waiting chunks of accounts that are not excluded, by start tag. Excluded accounts can have a million lines, so
-- only the first 100 chunks are read by start tag. If none matches, the waiting accounts are enumerated (loose
-- index scan).
create function find_chunks_excluding(
  p_owner bigint, p_max_chunks int, p_modules text[], p_excluded_accounts bigint[], p_max_start_tag bigint,
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
      and (c.crash_count = 0 or can_recover(c, p_owner, p_excluded_suspect_accounts))
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
        and (c.crash_count = 0 or can_recover(c, p_owner, p_excluded_suspect_accounts))
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
create function claim_job_chunks(
  p_owner bigint, p_max_chunks int, p_modules text[], p_excluded_accounts bigint[], p_new_accounts_only boolean,
  p_excluded_suspect_accounts bigint[]
) returns table (
  job_id bigint, number int, attempt int, account_id bigint, module text, options json,
  fresh boolean, checks int[], inputs bytea[], crash_count int, suspects int[], job_crash_count int,
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
      from lock_next_chunks(p_owner, p_max_chunks, p_modules, max_start_tag, p_excluded_suspect_accounts) c;
  else
    -- twice the number, because other nodes can lock some of them
    select array_agg(c.job_id), array_agg(c.number), max(c.start_tag)
      into jobs, numbers, latest
      from (
        select c.job_id, c.number, c.start_tag
        from find_chunks_excluding(
            p_owner, 2 * p_max_chunks, p_modules, p_excluded_accounts, max_start_tag, p_excluded_suspect_accounts) o
          join job_chunk c on c.job_id = o.job_id and c.number = o.number
        where c.state = 'waiting'
        order by c.start_tag, c.job_id, c.number
        limit p_max_chunks for update of c skip locked) c;
  end if;
  if jobs is null then
    return;
  end if;
  if exists (
    select 1 from unnest(jobs, numbers) m(job_id, number)
      join job_chunk c on c.job_id = m.job_id and c.number = m.number
    where c.crash_count > 0)
  then
    -- again, because a concurrent transaction can have claimed other chunks of these jobs
    perform 1 from job j where j.id = any(jobs) order by j.id for update;
    select array_agg(c.job_id), array_agg(c.number), max(c.start_tag)
      into jobs, numbers, latest
      from unnest(jobs, numbers) m(job_id, number)
        join job_chunk c on c.job_id = m.job_id and c.number = m.number
      where c.crash_count = 0 or can_recover(c, p_owner, p_excluded_suspect_accounts);
    if jobs is null then
      return;
    end if;
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
      coalesce(w.checks, '{}'), coalesce(w.inputs, '{}'), m.crash_count, m.suspects, j.crash_count,
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

-- The claims of nodes of the previous version, which do not know job.crash_count: suspects are lines that run one at a
-- time, and three attempts end a line. Can be dropped by the next migration.
create or replace function claim_chunks(
  p_owner bigint, p_max_chunks int, p_modules text[], p_excluded_accounts bigint[], p_new_accounts_only boolean,
  p_excluded_suspect_accounts bigint[]
) returns table (
  job_id bigint, number int, attempt int, account_id bigint, module text, options json,
  fresh boolean, checks int[], inputs bytea[], crash_count int, suspects int[], solo_crashes int[],
  attempts int[]
)
language sql as $$
  select c.job_id, c.number, c.attempt, c.account_id, c.module, c.options, c.fresh, c.checks, c.inputs, c.crash_count,
    case when c.job_crash_count >= 2 then c.checks else c.suspects end, '{}'::int[],
    case when c.job_crash_count >= 3 then c.attempts || c.checks || c.checks || c.checks else c.attempts end
  from claim_job_chunks(
    p_owner, p_max_chunks, p_modules, p_excluded_accounts, p_new_accounts_only, p_excluded_suspect_accounts) c
$$;
