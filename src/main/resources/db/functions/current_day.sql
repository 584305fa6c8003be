create or replace function current_day() returns int
language sql volatile as $$
  select (floor(extract(epoch from clock_timestamp())) / 86400)::int
$$;
