-- Claims up to p_max_chunks chunks, the lowest start tags first. If few chunks wait, a node claims an equal share of
-- them, so that the other nodes can claim the rest.
--
-- p_excluded_accounts: accounts whose chunks are not claimed.
-- p_new_accounts_only: only chunks with a start tag near the virtual time, as those of new accounts.
-- p_excluded_suspect_accounts: accounts whose crashed chunks are not claimed; null: no crashed chunk is claimed.
create or replace function claim_job_chunks(
  p_owner bigint, p_max_chunks int, p_modules text[], p_excluded_accounts bigint[], p_new_accounts_only boolean,
  p_excluded_suspect_accounts bigint[]
) returns table (
  job_id bigint, number int, attempt int, account_id bigint, module text, options json,
  fresh boolean, checks int[], inputs bytea[], crash_count int, suspects int[], job_crash_count int,
  attempts int[], traceparent text
)
-- few rows, all found by key; a plan that was cached while the tables were almost empty would scan them, and planning
-- for the values of each call takes longer than the statements
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
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
      m.attempts, j.traceparent
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
