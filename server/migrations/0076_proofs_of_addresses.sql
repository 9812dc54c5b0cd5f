-- min-compatible: 0022
-- People change their own mail address, and see the states of their organizations at a glance
-- (docs/adr/0060-proving-an-address.md).

-- When the person proved the address by a link; null if it came with single sign-on, a directory, an invitation or the operator.
alter table users add column email_proved_at timestamptz;
grant update (email_proved_at) on users to waybill_app;

create table address_proofs (
  token_hash bytea primary key,
  user_id    uuid not null references users (user_id),
  email      text not null,
  email_key  text collate "C" not null generated always as (lower(email)) stored,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Used, or replaced by a later request.
  ended_at   timestamptz
);
create index address_proofs_of_user on address_proofs (user_id, created_at);
create index address_proofs_to_address on address_proofs (email_key, created_at);

alter table address_proofs enable row level security;
alter table address_proofs force row level security;
create policy signing_in_or_recognised on address_proofs to waybill_app using (app_signin() or user_id = app_user());
grant select, insert, update (ended_at) on address_proofs to waybill_app;

/*
 * How many environments of each organization are in each state, and when something was last recorded. Only organizations that
 * the person of the transaction belongs to: row-level security shows a transaction one organization at a time.
 */
create function states_of_own_orgs(org_ids uuid[], at timestamptz)
  returns table (org_id uuid, compliant bigint, non_compliant bigint, unknown bigint, stale bigint, logged_ms bigint)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.org_id, s.compliant, s.non_compliant, s.unknown, s.stale, h.logged_ms
  from unnest(org_ids) as o (org_id)
  join public.memberships m on m.org_id = o.org_id and m.user_id = public.app_user()
    and not exists (select from public.frozen_orgs f where f.org_id = o.org_id and f.moved_to is not null)
  left join public.log_heads h on h.org_id = o.org_id
  cross join lateral (
    select count(*) filter (where e.state and not e.is_stale) as compliant,
      count(*) filter (where e.state is false) as non_compliant,
      count(*) filter (where e.state is null and not e.is_stale) as unknown,
      count(*) filter (where e.state is not false and e.is_stale) as stale
    from (
      select x.state, coalesce(coalesce(x.stale_at, (
        select min(y.stale_at) from public.environment_members n
        join public.environments y on y.org_id = n.org_id and y.environment_id = n.member_id
        where n.org_id = x.org_id and n.environment_id = x.environment_id)) <= at, false) as is_stale
      from public.environments x where x.org_id = o.org_id and x.archived_at is null
    ) e
  ) s
$$;
revoke all on function states_of_own_orgs(uuid[], timestamptz) from public;
grant execute on function states_of_own_orgs(uuid[], timestamptz) to waybill_app;
