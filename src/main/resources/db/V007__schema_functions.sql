-- The functions as they were last created, one file for each in the folder functions.
create table schema_function (
  name text primary key,
  checksum text not null,  -- SHA-256 of the file in hexadecimal
  created_at timestamptz not null default now()
);
