-- The span in which a job was created, in the form of the header traceparent; null if its trace is not recorded.
alter table job add column traceparent text;

-- create_job has one more argument, which nodes of the previous version omit. claim_job_chunks returns one more column.
-- In a new database, the functions do not exist yet.
drop function if exists create_job(
  text, bigint, bigint, text, text, json, boolean, bytea[], int[], text, text, int, int, bigint, int, json);
drop function if exists claim_job_chunks(bigint, int, text[], bigint[], boolean, bigint[]);
delete from schema_function where name in ('create_job', 'claim_job_chunks');
