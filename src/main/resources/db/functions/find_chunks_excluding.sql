-- Waiting chunks of accounts that are not excluded, by start tag. Excluded accounts can have a million lines, so
-- only the first 100 chunks are read by start tag. If none matches, the waiting accounts are enumerated (loose
-- index scan).
create or replace function find_chunks_excluding(
  p_owner bigint, p_max_chunks int, p_modules text[], p_excluded_accounts bigint[], p_max_start_tag bigint,
  p_excluded_suspect_accounts bigint[]
) returns table (job_id bigint, number int)
-- as in lock_next_chunks
language plpgsql stable rows 16 set enable_bitmapscan = off as $$
#variable_conflict use_column
begin
  return query
    select c.job_id, c.number
    from (
      select * from job_chunk c
      where c.state = 'waiting' and c.start_tag <= p_max_start_tag
      order by c.start_tag, c.job_id, c.number limit 100) c
    where c.module = any(p_modules) and c.account_id <> all(p_excluded_accounts)
      and (c.crash_count = 0 or can_recover(c, p_owner, p_excluded_suspect_accounts))
    order by c.start_tag, c.job_id, c.number limit p_max_chunks;
  if found then
    return;
  end if;
  return query
    with recursive waiting as (
      (select c.account_id from job_chunk c where c.state = 'waiting' order by c.account_id limit 1)
      union all
      select (
        select c.account_id from job_chunk c
        where c.state = 'waiting' and c.account_id > w.account_id order by c.account_id limit 1)
      from waiting w where w.account_id is not null)
    select c.job_id, c.number
    from waiting w cross join lateral (
      select * from job_chunk c
      -- row comparison, because only the index job_chunk_account has this order
      where c.state = 'waiting' and (c.account_id, c.start_tag) >= (w.account_id, -p_max_start_tag)
        and (c.account_id, c.start_tag) <= (w.account_id, p_max_start_tag)
        and c.module = any(p_modules)
        and (c.crash_count = 0 or can_recover(c, p_owner, p_excluded_suspect_accounts))
      order by c.account_id, c.start_tag limit p_max_chunks) c
    where w.account_id <> all(p_excluded_accounts)
    order by c.start_tag, c.job_id, c.number limit p_max_chunks;
end
$$;
