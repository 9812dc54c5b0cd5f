-- Notifications: which events of which environments and flows are sent to which targets.

create table notifications (
  org_id                   uuid not null references orgs (org_id),
  notification_id          uuid not null,
  -- Counted in orgs.notifications, for environments and flows together.
  number                   integer not null,
  type                     text not null default 'env' check (type in ('env', 'flow')),
  name                     text not null,
  triggers                 text[] not null,
  is_created_from_chat_app boolean not null default false,
  created_by               text not null,
  created_at               timestamptz not null,
  last_modified_at         timestamptz not null,
  deleted_at               timestamptz,
  primary key (org_id, notification_id),
  unique (org_id, number)
);
create policy own_org on notifications to waybill_app using (org_id = app_org());
grant select, insert, update on notifications to waybill_app;

-- The environments and the flows of each, in the order in which they were sent.
create table notification_environments (
  org_id          uuid not null,
  notification_id uuid not null,
  environment_id  uuid not null,
  position        integer not null default 0,
  primary key (org_id, notification_id, environment_id),
  foreign key (org_id, notification_id) references notifications (org_id, notification_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create index notifications_of_environment on notification_environments (org_id, environment_id);
create policy own_org on notification_environments to waybill_app using (org_id = app_org());
grant select, insert, update (position), delete on notification_environments to waybill_app;

create table notification_flows (
  org_id          uuid not null,
  notification_id uuid not null,
  flow_id         uuid not null,
  position        integer not null,
  primary key (org_id, notification_id, flow_id),
  foreign key (org_id, notification_id) references notifications (org_id, notification_id),
  foreign key (org_id, flow_id) references flows (org_id, flow_id)
);
create index notifications_of_flow on notification_flows (org_id, flow_id);
create policy own_org on notification_flows to waybill_app using (org_id = app_org());
grant select, insert, delete on notification_flows to waybill_app;

-- Notifications that the service itself raises, to the organization's targets, and the result of the last one.
create table notification_configs (
  org_id            uuid not null references orgs (org_id),
  notification_type text not null check (notification_type in ('api_key_expiry')),
  last_notified_at  timestamptz,
  last_failed_at    timestamptz,
  last_error        text,
  primary key (org_id, notification_type)
);
create policy own_org on notification_configs to waybill_app using (org_id = app_org());
grant select, insert, update on notification_configs to waybill_app;

-- Targets of messages, for a notification or a notification type. A removed target stays, because deliveries name
-- it.
create table notification_targets (
  org_id            uuid not null,
  target_id         uuid not null,
  notification_id   uuid,
  notification_type text,
  position          integer not null,
  type              text not null check (type in ('CHAT', 'WEBHOOK', 'EMAIL')),
  -- Like environments.client_type.
  client_type       text,
  -- Sealed, because the address of a webhook is a credential, as is the secret that signs its messages.
  webhook_sealed    text,
  payload_version   text,
  secret_sealed     text,
  -- Also signs until then, so that a receiver can change over.
  old_secret_sealed text,
  old_secret_until  timestamptz,
  emails            text[],
  context           jsonb,
  last_success_at   timestamptz,
  last_failure_at   timestamptz,
  last_error        text,
  -- Since when no attempt has succeeded; null if the newest one did.
  failing_since     timestamptz,
  switched_off_at   timestamptz,
  removed_at        timestamptz,
  created_at        timestamptz not null,
  primary key (org_id, target_id),
  foreign key (org_id, notification_id) references notifications (org_id, notification_id),
  foreign key (org_id, notification_type) references notification_configs (org_id, notification_type),
  check (num_nonnulls(notification_id, notification_type) = 1),
  check ((type = 'EMAIL') = (emails is not null)),
  check ((type = 'EMAIL') = (webhook_sealed is null))
);
create index targets_of_notification on notification_targets (org_id, notification_id) where notification_id is not null;
create index targets_of_config on notification_targets (org_id, notification_type) where notification_type is not null;
create policy own_org on notification_targets to waybill_app using (org_id = app_org());
grant select, insert, update on notification_targets to waybill_app;
