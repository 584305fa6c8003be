-- Removes charges by their time. A charge that has left the window is ignored.
create or replace function refund_quotas(p_policies text[], p_keys text[], p_costs int[], p_charged_at bigint[])
returns void
language plpgsql as $$
declare
  refund record;
  current_charges bigint[];
  first int;
begin
  for refund in
    select r.policy, r.key, r.cost, r.charged_at
    from unnest(p_policies, p_keys, p_costs, p_charged_at)
      with ordinality as r(policy, key, cost, charged_at, ord)
    order by r.policy, r.key, r.ord
  loop
    select q.charges into current_charges from quota_window q
      where q.policy = refund.policy and q.key = refund.key for update;
    first := array_position(current_charges, refund.charged_at);
    if first is not null then
      update quota_window q
        set charges = array(
          select t.charge from unnest(current_charges) with ordinality as t(charge, ord)
          where t.charge <> refund.charged_at or t.ord >= first + refund.cost
          order by t.ord)
        where q.policy = refund.policy and q.key = refund.key;
    end if;
  end loop;
end
$$;
