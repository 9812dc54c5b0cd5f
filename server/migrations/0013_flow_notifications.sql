-- What an org wants to hear about its flows. Numbered together with what it wants to hear about its environments.
alter table notifications add type text not null default 'env' check (type in ('env', 'flow'));

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
