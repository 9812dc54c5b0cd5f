-- min-compatible: 0022
-- The worker looks how long the first leaf without a published checkpoint has waited.
create policy worker_looks on log_leaves for select to waybill_app using (app_worker());
