-- Owners of jobs. A deleted account is kept until its jobs are deleted.
create table account (
  id bigint generated always as identity primary key,
  email text not null,  -- as entered; empty after deletion
  email_key text unique,  -- normalized; null after deletion, so that the address can be used again
  password_hash text,  -- Argon2id, PHC string; null: sign-in is not possible
  plan text not null check (plan in ('free', 'pro')),
  created_at timestamptz not null default clock_timestamp(),
  disabled_at timestamptz,
  deleted_at timestamptz
);

-- Contains one row as soon as the first account exists. Prevents a second bootstrap account after all accounts
-- are deleted.
create table bootstrap (
  single boolean primary key default true check (single),
  done_at timestamptz not null default clock_timestamp()
);

-- API keys. The secret is stored as a hash only; prefix identifies a key for its owner.
create table api_key (
  id bigint generated always as identity primary key,
  account_id bigint not null references account on delete cascade,
  hash bytea not null unique,  -- SHA-256 of the whole key
  prefix text not null,
  name text not null,
  scopes text[] not null,
  is_page_key boolean not null default false,  -- the hidden key to which jobs of the web pages are charged
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_key_account on api_key (account_id);
create unique index api_key_page_key on api_key (account_id) where is_page_key;

-- Web sessions. The cookie is a signed token with the session ID and a token ID that is replaced regularly.
-- Only the SHA-256 of the token ID is stored.
create table session (
  id bigint generated always as identity primary key,
  account_id bigint not null references account on delete cascade,
  token_hash bytea not null,  -- of the current token
  previous_token_hash bytea,  -- of the previous token, valid until the current one is used
  previous_valid_until timestamptz,  -- set at the first use of the current token
  created_at timestamptz not null default clock_timestamp(),
  renewed_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  client text not null,  -- browser, shown in the list of sessions
  address text not null  -- client address, shown in the list of sessions
);
create index session_account on session (account_id);
create index session_expires_at on session (expires_at);
