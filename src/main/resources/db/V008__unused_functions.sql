-- Functions that no node of this or the previous version calls.
drop function claim_chunks(bigint, int, text[], bigint[], boolean, bigint[]);
drop function charge_quota(text, text, int, int, bigint);
delete from schema_function where name in ('claim_chunks', 'charge_quota');
