-- The policy and the expectations that are applied when a job is read, unless the reader names others: an object with
-- the members policy (text or null) and expect (array of text). They are defaults of reading: results are stored
-- without them.
alter table job add column evaluation json;

-- The function of an earlier version. Its name is that of the present function with more arguments.
drop function create_job(
  text, bigint, bigint, text, text, json, boolean, bytea[], int[], text, text, int, int, bigint);
delete from schema_function where name = 'create_job';
