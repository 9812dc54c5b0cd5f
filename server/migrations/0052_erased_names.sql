-- min-compatible: 0022
-- The names of people go with the bodies that are erased, also from rows that keep them beside the events
-- (docs/adr/0034-erasure-and-history.md). As in 0047, the application may erase and nothing else.
create policy only_erase on membership_events as restrictive for update to waybill_app
  using (true) with check (user_name = 'erased' and changed_by = 'erased');
grant update (user_name, changed_by) on membership_events to waybill_app;

create policy only_erase on policy_versions as restrictive for update to waybill_app
  using (true) with check (created_by = 'erased');
grant update (created_by) on policy_versions to waybill_app;

create policy only_erase on custom_attestation_type_versions as restrictive for update to waybill_app
  using (true) with check (created_by = 'erased');
grant update (created_by) on custom_attestation_type_versions to waybill_app;

create policy only_erase on control_versions as restrictive for update to waybill_app
  using (true) with check (changed_by = 'erased');
grant update (changed_by) on control_versions to waybill_app;
