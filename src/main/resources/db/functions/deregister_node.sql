-- Releases a slice of the chunks of a coordinator that stops and returns their number.
create or replace function deregister_node(p_owner bigint, p_max_chunks int) returns int
language plpgsql as $$
begin
  perform 1 from node n where n.id = p_owner for update;
  return release_slice(p_owner, p_max_chunks, false);
end
$$;
