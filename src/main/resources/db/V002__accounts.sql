-- Who may have jobs run. An account that is deleted stays until its jobs are gone.
create table account (
  id bigint generated always as identity primary key,
  email text not null,  -- as it was given, for people; empty once deleted
  email_key text unique,  -- as addresses are compared; null once deleted, so that it is free again
  password_hash text,  -- Argon2id in PHC form; null: no one can sign in
  plan text not null check (plan in ('free', 'pro')),
  created_at timestamptz not null default clock_timestamp(),
  disabled_at timestamptz,
  deleted_at timestamptz
);

-- One row from the first account on, so that a database whose accounts were all deleted is not taken
-- for a new one.
create table first_start (
  single boolean primary key default true check (single),
  done_at timestamptz not null default clock_timestamp()
);

-- Of a key only its hash is kept; the prefix is for people to tell their keys apart.
create table api_key (
  id bigint generated always as identity primary key,
  account_id bigint not null references account on delete cascade,
  hash bytea not null unique,  -- SHA-256 of the whole key
  prefix text not null,
  name text not null,
  scopes text[] not null,
  of_web boolean not null default false,  -- the hidden key that the web pages work under
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_key_account on api_key (account_id);
create unique index api_key_of_web on api_key (account_id) where of_web;

-- People who are signed in. The cookie is a signed token that names a row here and carries an id of
-- its own, which changes now and then; what is kept of it is its SHA-256.
create table session (
  id bigint generated always as identity primary key,
  account_id bigint not null references account on delete cascade,
  token bytea not null,  -- the one that is good
  former bytea,  -- the one before it, still good until it is known that its successor has arrived
  former_until timestamptz,  -- set when the successor was first used: good for a moment more
  created_at timestamptz not null default clock_timestamp(),
  renewed_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  client text not null,  -- for people to tell their sessions apart: what browser
  address text not null  -- and from where
);
create index session_account on session (account_id);
create index session_expires_at on session (expires_at);
