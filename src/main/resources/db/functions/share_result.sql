-- Creates a shared result, or nothing if a limit is exceeded.
--
-- p_body: the result of an instant check; null: the lines of p_job are copied. p_lines and p_results: the number of
-- lines of the job and of those with a result. outcome: created, account_limit, total_limit, or expired if results of
-- the job have been deleted.
create or replace function share_result(
  p_id text, p_account bigint, p_token_hash bytea, p_content json, p_input bytea, p_body bytea,
  p_job bigint, p_lines int, p_results int, p_retention interval, p_max_per_account int, p_max_bytes bigint
) returns table (outcome text, created_at timestamptz, expires_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  size bigint;
begin
  if p_account is not null then
    -- one after another for an account, so that the count is exact
    perform 1 from account a where a.id = p_account for no key update;
    if (select count(*) from shared_result r where r.account_id = p_account and r.expires_at > clock_timestamp())
        >= p_max_per_account then
      outcome := 'account_limit';
      return next;
      return;
    end if;
  end if;
  -- also tested below, but a job should not be copied first
  if (select t.bytes from shared_result_total t) >= p_max_bytes then
    outcome := 'total_limit';
    return next;
    return;
  end if;
  insert into shared_result as r (id, account_id, delete_token_hash, content, expires_at)
    values (p_id, p_account, p_token_hash, p_content, clock_timestamp() + p_retention)
    returning r.created_at, r.expires_at into created_at, expires_at;
  outcome := 'created';
  if p_body is not null then
    insert into shared_result_page (result_id, first_index, inputs, bodies)
      values (p_id, 0, array[p_input], array[p_body]);
  elsif not copy_job_lines(p_id, p_job, p_lines, p_results) then
    outcome := 'expired';
  end if;
  if outcome = 'created' then
    -- after the insertion, which compresses the arrays; 256 bytes for the rows and their index entries
    select pg_column_size(r.content) + 256 + (
        select sum(pg_column_size(p.inputs) + pg_column_size(p.bodies) + 256)
        from shared_result_page p where p.result_id = r.id)
      into size from shared_result r where r.id = p_id;
    update shared_result_total t set bytes = t.bytes + size where t.bytes + size <= p_max_bytes;
    if found then
      update shared_result r set bytes = size where r.id = p_id;
    else
      outcome := 'total_limit';
    end if;
  end if;
  if outcome <> 'created' then
    delete from shared_result r where r.id = p_id;
  end if;
  return next;
end
$$;
