-- Whether all lines of a job that were in flight at an earlier crash have completed since then.
create or replace function suspects_cleared(p_job bigint) returns boolean
language plpgsql stable as $$
begin
  return not exists (
    select 1 from job_chunk c cross join lateral unnest(c.suspects) s(index)
    where c.job_id = p_job
    group by s.index
    having count(*) > 1 or not exists (select 1 from job_result r where r.job_id = p_job and r.index = s.index));
end
$$;
