create or replace function to_micros(p_time timestamptz) returns bigint
language sql immutable parallel safe as $$
  select (extract(epoch from p_time) * 1000000)::bigint
$$;
