// An organization with rows in every table that has org_id, for code that must treat all of them alike.
import { expect } from 'vitest'
import { fillKeyless } from './ci-issuer.ts'
import { fillControls } from './controls.ts'
import { fillDecision } from './decisions.ts'
import { buildPodReport } from './environments.ts'
import { type Client, makeFile, type TestApp } from './harness.ts'
import { fillNotifications } from './notification-targets.ts'
import { fillLogs } from './publish-logs.ts'
import { makeBuild, makeFingerprint, nameTrail } from './reports.ts'
import { fillScim } from './scim.ts'

const TEMPLATE =
  'version: 1\ntrail:\n  artifacts:\n    - name: image\n      attestations:\n        - {name: a, type: generic}\n'

/** The tables that have org_id, by name. */
export async function listOrgTables(app: TestApp): Promise<string[]> {
  const rows = await app.sql(`
    select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not a.attisdropped
    order by 1`)
  return rows.map(({ name }) => String(name))
}

/** The number and a hash of an org's rows, by table. */
export async function readOrgContent(
  app: TestApp,
  org_id: string,
): Promise<Record<string, { rows: number; md5: string }>> {
  const found: Record<string, { rows: number; md5: string }> = {}
  for (const table of await listOrgTables(app)) {
    const [row] = await app.sql(
      `select count(*)::int as rows, coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as md5
       from ${table} t where org_id = $1`,
      [org_id],
    )
    found[table] = { rows: Number(row?.rows), md5: String(row?.md5) }
  }
  return found
}

/** Returns the org's id and the SHA-256 of its one attachment. */
export async function fillOrg(
  app: TestApp,
  admin: Client,
  org: string,
): Promise<{ org_id: string; evidence_sha256: string }> {
  await admin.put(`/flows/${org}`, { name: 'first', description: '' })
  const trail = { name: 'trail', user_data: { text: 'two\nlines' }, collected_at: 1, spooled: true }
  expect((await admin.put(`/trails/${org}/first`, trail)).status).toBe(201)
  await admin.put(`/flows/${org}/first/rename`, { new_name: 'second' })
  await admin.post(`/custom-attestation-types/${org}`, { name: 'type' })
  // Also queues a mail.
  const invitation = { email: `ines@${org}.example`, role: 'reader' }
  expect((await admin.post(`/invitations/${org}`, invitation)).status).toBe(201)
  await admin.post(`/service-accounts/${org}`, { name: 'robot' })
  await admin.post(`/service-accounts/${org}/robot/api-keys`, { description: 'key' })
  expect((await admin.post(`/badge-tokens/${org}`, { flow_name: 'second' })).status).toBe(201)
  await fillBuild(admin, org)
  await fillControls(admin, org, 'built')
  await fillEnvironments(admin, org)
  await fillNotifications(app, admin, org, 'cluster', 'second')
  await fillKeyless(app, org)
  await fillScim(app, admin, org)
  await fillDecision(admin, org, 'cluster')
  await fillOpener(app, org)
  // Nobody writes these rows anymore; the release after the first one drops the table.
  await app.sql(
    `insert into template_artifacts (org_id, template_id, name)
     select org_id, template_id, 'image' from templates join orgs using (org_id) where orgs.name = $1
     on conflict do nothing`,
    [org],
  )
  await fillLogs(app)
  const [row] = await app.sql(
    `select o.org_id, a.evidence_sha256 from orgs o join attestations a on a.org_id = o.org_id
     where o.name = $1 and a.evidence_sha256 is not null`,
    [org],
  )
  return { org_id: String(row?.org_id), evidence_sha256: String(row?.evidence_sha256) }
}

/** As if a member had opened it. */
export async function fillOpener(app: TestApp, org: string): Promise<void> {
  await app.sql(
    `insert into org_openers (org_id, user_id)
     select m.org_id, m.user_id from orgs o join memberships m using (org_id) where o.name = $1 limit 1
     on conflict do nothing`,
    [org],
  )
}

async function fillBuild(admin: Client, org: string): Promise<void> {
  await admin.form('PUT', `/flows/${org}/template_file`, {
    data_json: JSON.stringify({ name: 'built' }),
    template_file: makeFile(TEMPLATE),
  })
  const repo_info = {
    id: '311',
    name: 'acme/backend',
    url: 'https://git.example.com/backend',
    provider: 'github',
  }
  await admin.put(`/trails/${org}/built`, { name: 'trail', repo_info })
  const artifact = makeBuild(makeFingerprint('a'), nameTrail('trail'))
  await admin.call('POST', `/artifacts/${org}/built`, artifact, { 'idempotency-key': 'once' })
  const attestation = {
    attestation_name: 'a',
    artifact_fingerprint: makeFingerprint('a'),
    is_compliant: true,
  }
  const attested = await admin.form('POST', `/attestations/${org}/built/trail/trail/generic`, {
    data_json: JSON.stringify(attestation),
    attachment_file: makeFile(`evidence of ${org}`),
  })
  expect(attested.status).toBe(201)
  await fillApproval(admin, org, 'built', makeFingerprint('a'))
}

/** Requests an approval of an artifact in the flow. */
export async function fillApproval(client: Client, org: string, flow: string, artifact_fingerprint: string) {
  const approval = { artifact_fingerprint, description: '', src_commit_list: [], approvals: [] }
  expect((await client.post(`/approvals/${org}/${flow}`, approval)).status).toBe(201)
}

async function fillEnvironments(admin: Client, org: string): Promise<void> {
  await admin.put(`/environments/${org}`, { name: 'old-name', type: 'K8S' })
  await admin.put(`/environments/${org}/old-name/rename`, { new_name: 'cluster' })
  await admin.put(`/environments/${org}`, { name: 'all', type: 'logical' })
  await admin.put(`/environments/${org}/all/join`, { physical_env_name: 'cluster' })
  await admin.put(`/policies/${org}/rules`, { policy_yaml: '_schema: https://waybill.example/v1\n' })
  await admin.post(`/environments/${org}/cluster/policies`, { policy_names: ['rules'] })
  const entry = {
    artifact_fingerprint: makeFingerprint('b'),
    artifact_name: 'image:1',
    description: 'reviewed',
  }
  await admin.put(`/allowlists/${org}/cluster`, entry)
  const done = await admin.put(`/environments/${org}/cluster/report/K8S`, buildReport())
  expect(done.status).toBe(200)
  await fillLateReport(admin, org, 'cluster')
}

/** A report of two artifacts; the second has an alternate digest. */
export function buildReport() {
  const [first, second] = buildPodReport('a', 'b').artifacts
  return { artifacts: [first, { ...second, alternate_digests: [makeFingerprint('c')] }] }
}

/** A report that is older than the newest one. */
export async function fillLateReport(client: Client, org: string, environment: string): Promise<void> {
  const report = { ...buildPodReport('a'), observed_at: 1 }
  const late = await client.put(`/environments/${org}/${environment}/report/K8S`, report)
  expect(late.body).toMatchObject({ late: true })
}

/** Rows for the table of frozen organizations. They drain, so they can still be changed. */
export async function drainSharedOrgs(app: TestApp): Promise<void> {
  await app.sql(`insert into frozen_orgs (org_id, frozen_at, reason, is_draining)
    select org_id, now(), 'test', true from orgs where kind = 'shared'`)
}
