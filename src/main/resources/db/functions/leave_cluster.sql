create or replace function leave_cluster(p_id bigint) returns void
language plpgsql as $$
begin
  update node n set leaving = true where n.id = p_id and n.name is not null;
  if found then
    perform pg_notify('nodes_changed', '');
  end if;
end
$$;
