-- Copies the lines of a finished job to the pages of a shared result. Returns false if not all results exist any more.
create or replace function copy_job_lines(p_result text, p_job bigint, p_lines int, p_results int) returns boolean
-- few rows, all found by key; statistics of new partitions are stale
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  next_index int := 0;
  results int := 0;
  page_inputs bytea[];
  page_bodies bytea[];
begin
  while next_index < p_lines loop
    -- sizes are summed first, so that only the bodies of this page are decompressed
    select array_agg(l.input order by l.index), array_agg(b.body order by l.index)
      into page_inputs, page_bodies
      from (
        select s.index, s.input, s.source, sum(s.bytes) over (order by s.index) - s.bytes as before
        from (
          select i.index, i.input, coalesce(r.duplicate_of, r.index) as source, coalesce((
              select octet_length(o.body) from job_result o
              where o.job_id = p_job and o.index = coalesce(r.duplicate_of, r.index)), 0) as bytes
          from (
            select (p.page * 50 + u.ord - 1)::int as index, u.input
            from job_input p cross join unnest(p.inputs) with ordinality as u(input, ord)
            where p.job_id = p_job and p.page between next_index / 50 and (next_index + 99) / 50) i
            left join job_result r on r.job_id = p_job and r.index = i.index
          where i.index between next_index and next_index + 99) s) l
        left join lateral (
          select o.body from job_result o where o.job_id = p_job and o.index = l.source offset 0) b on true
      where l.before < 131072;
    if page_inputs is null then
      return false;
    end if;
    insert into shared_result_page (result_id, first_index, inputs, bodies)
      values (p_result, next_index, page_inputs, page_bodies);
    next_index := next_index + cardinality(page_inputs);
    results := results + cardinality(array_remove(page_bodies, null));
  end loop;
  return results = p_results;
end
$$;
