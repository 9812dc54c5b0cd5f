-- Notifications: who is told of what and where, what became of each message, and which keys were announced.

alter table orgs add notifications integer not null default 0;
comment on column orgs.notifications is 'The number of the newest environment notification; numbers are never used again.';

-- What an org wants to hear about its environments.
create table notifications (
  org_id                   uuid not null references orgs (org_id),
  notification_id          uuid not null,
  number                   integer not null,
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

create table notification_environments (
  org_id          uuid not null,
  notification_id uuid not null,
  environment_id  uuid not null,
  primary key (org_id, notification_id, environment_id),
  foreign key (org_id, notification_id) references notifications (org_id, notification_id),
  foreign key (org_id, environment_id) references environments (org_id, environment_id)
);
create index notifications_of_environment on notification_environments (org_id, environment_id);

-- What the service raises by itself: whether the org says who is told, and what became of what was sent.
create table notification_configs (
  org_id            uuid not null references orgs (org_id),
  notification_type text not null check (notification_type in ('api_key_expiry')),
  last_notified_at  timestamptz,
  last_failed_at    timestamptz,
  last_error        text,
  primary key (org_id, notification_type)
);

-- Where a message goes. The target of one or the other; it stays when it is removed, because the log speaks of it.
create table notification_targets (
  org_id            uuid not null,
  target_id         uuid not null,
  notification_id   uuid,
  notification_type text,
  position          integer not null,
  type              text not null check (type in ('CHAT', 'WEBHOOK', 'EMAIL')),
  -- Addresses of webhooks are credentials, and so is what messages are signed with: both are sealed.
  webhook_sealed    text,
  payload_version   text,
  secret_sealed     text,
  -- Signs as well until then, so that a receiver can change over.
  old_secret_sealed text,
  old_secret_until  timestamptz,
  emails            text[],
  context           jsonb,
  last_success_at   timestamptz,
  last_failure_at   timestamptz,
  last_error        text,
  -- Since when nothing has succeeded; null while the latest attempt did.
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

-- A message on its way is a job of the outbox that has an event type.
alter table outbox
  add event_type        text,
  add notification_id   uuid,
  add notification_type text,
  -- Null where the recipient is derived from what the message is about.
  add target_id         uuid;
create index outbox_due_of_org on outbox (org_id, due_at) where finished_at is null;
create index outbox_deliveries on outbox (org_id, job_id) where event_type is not null;
create index outbox_finished on outbox (finished_at) where finished_at is not null;

create table delivery_attempts (
  org_id       uuid not null,
  job_id       uuid not null,
  -- The lease it was made under: a second result under the same one is impossible.
  lease_no     integer not null,
  attempted_at timestamptz not null,
  duration_ms  integer not null,
  -- Null when it succeeded.
  error        text,
  status       integer,
  -- The first bytes of the answer.
  answer       text,
  primary key (org_id, job_id, lease_no),
  foreign key (org_id, job_id) references outbox (org_id, job_id) on delete cascade
);

-- The latest notice given of the end of a key.
alter table service_account_keys add expiry_notice text check (expiry_notice in ('first', 'last'));
alter table personal_keys add expiry_notice text check (expiry_notice in ('first', 'last'));
create index service_account_keys_ending on service_account_keys (expires_at)
  where revoked_at is null and replaced_by is null;
create index personal_keys_ending on personal_keys (expires_at) where revoked_at is null and replaced_by is null;

-- What was answered, for requests whose answer cannot be told from the state when they are sent again.
alter table idempotency_keys add answer jsonb;

create policy own_org on notifications to waybill_app using (org_id = app_org());
create policy own_org on notification_environments to waybill_app using (org_id = app_org());
create policy own_org on notification_configs to waybill_app using (org_id = app_org());
create policy own_org on notification_targets to waybill_app using (org_id = app_org());
create policy own_org_or_worker on delivery_attempts to waybill_app using (org_id = app_org() or app_worker());
-- The worker finds the keys that end soon; it says so under the org they are of.
create policy worker_looks on service_account_keys for select to waybill_app using (app_worker());
create policy worker_looks on personal_keys for select to waybill_app using (app_worker());

grant select, insert, update on notifications, notification_configs, notification_targets to waybill_app;
grant select, insert, delete on notification_environments to waybill_app;
grant select, insert on delivery_attempts to waybill_app;
grant delete on outbox to waybill_app;
grant update (notifications) on orgs to waybill_app;
grant update (expiry_notice) on service_account_keys, personal_keys to waybill_app;
grant update (answer) on idempotency_keys to waybill_app;
