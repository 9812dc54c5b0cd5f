-- min-compatible: 0022
-- The role of people and programs that read everything and change nothing. Earlier versions let them do nothing.
alter table memberships drop constraint memberships_role_check;
alter table memberships add constraint memberships_role_check
  check (role in ('admin', 'member', 'snapshotter', 'auditor', 'reader')) not valid;
alter table memberships validate constraint memberships_role_check;

alter table service_accounts drop constraint service_accounts_privilege_check;
alter table service_accounts add constraint service_accounts_privilege_check
  check (privilege in ('admin', 'member', 'snapshotter', 'auditor', 'reader')) not valid;
alter table service_accounts validate constraint service_accounts_privilege_check;

alter table invitations drop constraint invitations_role_check;
alter table invitations add constraint invitations_role_check
  check (role in ('admin', 'member', 'snapshotter', 'auditor', 'reader')) not valid;
alter table invitations validate constraint invitations_role_check;

alter table scim_groups drop constraint scim_groups_role_check;
alter table scim_groups add constraint scim_groups_role_check
  check (role in ('admin', 'member', 'snapshotter', 'auditor', 'reader')) not valid;
alter table scim_groups validate constraint scim_groups_role_check;
