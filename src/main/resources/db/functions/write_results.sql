-- Writes results of chunks that the owner still holds and completes chunks and jobs. Idempotent. Returns the
-- chunks that the owner no longer holds; their results are ignored.
create or replace function write_results(
  p_owner bigint, p_retention interval, p_chunk_jobs bigint[], p_chunk_numbers int[], p_chunk_attempts int[],
  p_completed boolean[], p_jobs bigint[], p_numbers int[], p_indexes int[], p_verdicts text[], p_bodies bytea[],
  p_cache_keys text[], p_checked_at timestamptz[], p_expires_at timestamptz[]
) returns table (job_id bigint, number int)
-- few rows, all found by key; a plan that was cached while the tables were almost empty would scan them, and planning
-- for the values of each call takes longer than the statements
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
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
