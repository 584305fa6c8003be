-- Shared results: copies of the result of an instant check or of a finished job. They do not depend on the retention
-- and the partitions of jobs. TOAST compresses the lines of a page together.
create table shared_result (
  id text primary key,  -- 22 random base62 characters; whoever knows it can read the result
  account_id bigint references account on delete cascade,  -- owner of the job; null for an instant check
  delete_token_hash bytea,  -- SHA-256; null for a job
  content json not null,  -- the job without its lines, or module, target and options of the check
  bytes bigint not null default 0,  -- stored size with all pages
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  check ((account_id is null) <> (delete_token_hash is null))
);
create index shared_result_account on shared_result (account_id, created_at, id) where account_id is not null;
create index shared_result_expires_at on shared_result (expires_at);

-- Consecutive lines with about 128 KiB of results, at most 100. An instant check is one line.
create table shared_result_page (
  result_id text not null references shared_result on delete cascade,
  first_index int not null,
  inputs bytea[] not null,
  bodies bytea[] not null,  -- null for lines without a result
  primary key (result_id, first_index)
);

-- The size of all shared results, so that the limit does not require a scan. Locked at the end of a transaction only.
create table shared_result_total (
  single boolean primary key default true check (single),
  bytes bigint not null
);
insert into shared_result_total (bytes) values (0);

create function subtract_shared_bytes() returns trigger
language plpgsql as $$
begin
  update shared_result_total t set bytes = t.bytes - d.bytes
    from (select sum(r.bytes) as bytes from deleted r) d where d.bytes > 0;
  return null;
end
$$;

create trigger shared_result_deleted after delete on shared_result
  referencing old table as deleted for each statement execute function subtract_shared_bytes();
