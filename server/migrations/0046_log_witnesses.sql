-- min-compatible: 0022
-- Who else has seen the checkpoints of a log (docs/adr/0033-witnesses.md).

-- What each witness of the operator's policy has said about a log.
create table log_witnesses (
  org_id      uuid not null,
  epoch       int not null,
  vkey        text not null,
  -- Of the largest checkpoint that it has cosigned.
  size        bigint not null default 0,
  cosigned_at timestamptz,
  state       text not null default 'behind' check (state in ('ok', 'behind', 'unreachable', 'fork')),
  message     text not null default 'The witness is being asked for the first time',
  -- A worker claims a row by setting it, so that no other asks at the same time.
  asked_at    timestamptz not null,
  primary key (org_id, epoch, vkey)
);

-- All checkpoints with cosignatures: the note has the signatures of the log, then those of the witnesses.
create table log_cosigned (
  org_id     uuid not null,
  epoch      int not null,
  size       bigint not null,
  root       bytea not null check (octet_length(root) = 32),
  note       text not null,
  -- Whether its cosignatures were enough for the policy of that time.
  has_quorum boolean not null,
  primary key (org_id, epoch, size)
);

create index log_cosigned_quorum on log_cosigned (org_id, epoch, size) where has_quorum;
create index log_witnesses_fork on log_witnesses (org_id, vkey) where state = 'fork';

alter table log_witnesses enable row level security;
alter table log_witnesses force row level security;
alter table log_cosigned enable row level security;
alter table log_cosigned force row level security;
create policy own_org on log_witnesses to waybill_app using (org_id = app_org());
create policy own_org on log_cosigned to waybill_app using (org_id = app_org());
-- The worker looks for logs that have grown, and claims them.
create policy worker_claims on log_witnesses to waybill_app using (app_worker());
grant select, insert, update (size, cosigned_at, state, message, asked_at) on log_witnesses to waybill_app;
grant select, insert, update (note, has_quorum) on log_cosigned to waybill_app;
