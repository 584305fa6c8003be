-- Subtracts the size of deleted shared results from the total.
create or replace function subtract_shared_bytes() returns trigger
language plpgsql as $$
begin
  update shared_result_total t set bytes = t.bytes - d.bytes
    from (select sum(r.bytes) as bytes from deleted r) d where d.bytes > 0;
  return null;
end
$$;
