-- The claims of nodes of the previous version, which do not know job.crash_count: suspects are lines that run one at a
-- time, and three attempts end a line. Can be dropped by the next migration.
create or replace function claim_chunks(
  p_owner bigint, p_max_chunks int, p_modules text[], p_excluded_accounts bigint[], p_new_accounts_only boolean,
  p_excluded_suspect_accounts bigint[]
) returns table (
  job_id bigint, number int, attempt int, account_id bigint, module text, options json,
  fresh boolean, checks int[], inputs bytea[], crash_count int, suspects int[], solo_crashes int[],
  attempts int[]
)
language sql as $$
  select c.job_id, c.number, c.attempt, c.account_id, c.module, c.options, c.fresh, c.checks, c.inputs, c.crash_count,
    case when c.job_crash_count >= 2 then c.checks else c.suspects end, '{}'::int[],
    case when c.job_crash_count >= 3 then c.attempts || c.checks || c.checks || c.checks else c.attempts end
  from claim_job_chunks(
    p_owner, p_max_chunks, p_modules, p_excluded_accounts, p_new_accounts_only, p_excluded_suspect_accounts) c
$$;
