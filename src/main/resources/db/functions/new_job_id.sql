-- An ID contains the day of creation, so that the results of a day are one range of IDs. A day without partition is
-- replaced by the nearest day with one.
create or replace function new_job_id() returns bigint
language sql volatile as $$
  select greatest(min(p.first_day), least(max(p.end_day) - 1, current_day()))::bigint << 32 | nextval('job_number')
  from job_result_partition p
$$;
