-- Locks the waiting chunks with the lowest start tags.
create or replace function lock_next_chunks(
  p_owner bigint, p_max_chunks int, p_modules text[], p_max_start_tag bigint, p_excluded_suspect_accounts bigint[]
) returns table (job_id bigint, number int, start_tag bigint)
-- reads the index in order: with a limit that is not known, the planner can prefer to sort all waiting chunks
language plpgsql rows 16 set enable_bitmapscan = off set enable_sort = off as $$
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
