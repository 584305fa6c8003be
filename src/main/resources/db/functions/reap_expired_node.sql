-- Releases a slice of the chunks of a coordinator whose lease expired; no row if there is none. One coordinator at a
-- time, because a second one would violate the lock order. After the first slice, the lease cannot be renewed.
create or replace function reap_expired_node(p_max_chunks int) returns table (expired_node bigint, chunks int)
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
