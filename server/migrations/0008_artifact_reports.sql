-- Every report of an artifact stays; the artifact itself shows the newest.

create table artifact_reports (
  org_id       uuid not null,
  report_id    uuid not null,
  artifact_id  uuid not null,
  filename     text not null,
  git_commit   text collate "C",
  -- What the report said of the artifact itself; null when it said nothing.
  is_compliant boolean,
  -- Everything else that was reported, as it was sent.
  report       json not null,
  reported_by  text not null,
  reported_at  timestamptz not null
);
-- Of what was overwritten before there was this table, only the newest is known.
insert into artifact_reports
  (org_id, report_id, artifact_id, filename, git_commit, is_compliant, report, reported_by, reported_at)
select org_id, artifact_id, artifact_id, filename, git_commit, (report ->> 'is_compliant')::boolean, report,
  created_by, last_modified_at
from artifacts;
alter table artifact_reports
  add primary key (org_id, report_id),
  add foreign key (org_id, artifact_id) references artifacts (org_id, artifact_id);
create index artifact_reports_of_artifact on artifact_reports (org_id, artifact_id, report_id);
-- Commits are looked up among all reports.
drop index artifacts_by_commit;
create index artifact_reports_by_commit on artifact_reports (org_id, git_commit) where git_commit is not null;

-- Of the newest report: which it is, who sent it, and what it said of the artifact itself.
alter table artifacts add report_id uuid, add reported_by text, add is_declared_compliant boolean;
update artifacts set report_id = artifact_id, reported_by = created_by,
  is_declared_compliant = (report ->> 'is_compliant')::boolean;
alter table artifacts alter report_id set not null, alter reported_by set not null;

-- Rules are stricter now: what fails on a trail fails for every artifact of it, what a report calls non-compliant is, and a
-- condition on a tag that a flow lacks does not switch a rule off. What was stored under the old ones is brought up to
-- date, and every environment with policies is evaluated again.
create temporary table turned_red on commit drop as
  select a.org_id, a.artifact_id, a.trail_id, a.is_current, a.is_declared_compliant
  from artifacts a
  where a.state <> 'NON-COMPLIANT' and (a.is_declared_compliant is false or exists (
    select from evidence_slots e
    where e.org_id = a.org_id and e.trail_id = a.trail_id
      and e.artifact_id = '00000000-0000-0000-0000-000000000000' and not e.is_compliant));
update artifacts a set state = 'NON-COMPLIANT'
  from turned_red r where a.org_id = r.org_id and a.artifact_id = r.artifact_id;
update trails t set compliance_state = 'NON-COMPLIANT'
  from turned_red r
  where t.org_id = r.org_id and t.trail_id = r.trail_id and r.is_current and r.is_declared_compliant is false
    and t.compliance_state <> 'NON-COMPLIANT';
insert into pending_judgements (org_id, environment_id, cause, actor, marked_at)
  select distinct org_id, environment_id, 'evidence', 'waybill', now() from environment_policies;

create policy own_org on artifact_reports to waybill_app using (org_id = app_org());
grant select, insert on artifact_reports to waybill_app;
