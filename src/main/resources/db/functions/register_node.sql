-- Registers a node. The lease of an earlier process with the same name expires.
create or replace function register_node(
  p_lease interval, p_name text, p_roles text[], p_version text, p_generation int, p_endpoints jsonb
) returns bigint
language plpgsql as $$
declare
  registered bigint;
begin
  update node n set lease_expires_at = clock_timestamp() - interval '1 second'
    where n.name = p_name and n.lease_expires_at > clock_timestamp();
  insert into node (lease_expires_at, name, roles, version, generation, endpoints)
    values (clock_timestamp() + p_lease, p_name, p_roles, p_version, p_generation, p_endpoints)
    returning id into registered;
  if p_name is not null then
    perform pg_notify('nodes_changed', '');
  end if;
  return registered;
end
$$;
