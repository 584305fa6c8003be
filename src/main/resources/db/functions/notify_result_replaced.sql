-- Nodes cache results in memory until these expire. A newer result can replace an unexpired one only if a check did not
-- use the cache (option fresh of jobs) or two nodes ran the same check. All nodes are notified in the same transaction.
create or replace function notify_result_replaced() returns trigger
language plpgsql as $$
begin
  perform pg_notify('result_replaced', new.key);
  return null;
end
$$;
