-- The recorded lines of a chunk that have no result yet.
create or replace function unfinished_in_flight(c job_chunk) returns int[]
language plpgsql stable as $$
begin
  return array(
    select distinct l.index from unnest(c.in_flight) l(index)
    where not exists (select 1 from job_result r where r.job_id = c.job_id and r.index = l.index)
    order by l.index);
end
$$;
