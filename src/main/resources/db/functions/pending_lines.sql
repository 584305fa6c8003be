-- The number of lines of a chunk without a result.
create or replace function pending_lines(c job_chunk) returns int
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
