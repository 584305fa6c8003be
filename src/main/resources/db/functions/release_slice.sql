-- Releases up to p_max_chunks chunks of a coordinator and returns their number. If there are fewer, deletes its lease.
-- The caller locks the row of the coordinator first to exclude concurrent claims.
create or replace function release_slice(p_owner bigint, p_max_chunks int, p_crashed boolean) returns int
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
