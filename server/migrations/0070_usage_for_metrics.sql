-- min-compatible: 0022
-- The metrics add up the evidence of all organizations.
create policy worker_looks on org_usage for select to waybill_app using (app_worker());
