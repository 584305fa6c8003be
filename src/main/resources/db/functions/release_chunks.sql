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
