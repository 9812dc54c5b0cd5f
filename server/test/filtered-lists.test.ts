// A page of a filtered list reads the matching rows and few others, however many rows the org has. The rows are
// counted with PostgreSQL's cached plan for a prepared statement, which knows no parameter values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './harness.ts'
import { countRowsRead } from './rows-read.ts'

const ROWS = 4_000
const PAGE_SIZE = 20
/** A page reads one row for the list and one for the details, and a few for the filter. */
const FEW = 3 * PAGE_SIZE

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const slice = { limit: PAGE_SIZE, offset: 0 }
const ids = { min_id: FIRST_ID, end_id: LAST_ID }

let app: TestApp
let org_id: string
beforeAll(async () => {
  app = await startTestApp()
  org_id = String((await app.sql("select org_id from orgs where name = 'acme'"))[0]?.org_id)
  await fillOrg()
})
afterAll(() => app.stop())

/** Ids of the same prefix are ordered by their number. */
const makeId = (prefix: string, number: number) =>
  `${prefix}-0000-7000-8000-${String(number).padStart(12, '0')}`
const flow = (number: number) => makeId('01900002', number)
const repo = (number: number) => makeId('01900003', number)
const attestation = (number: number) => makeId('01900006', number)
const environment_id = makeId('01900007', 1)
const fingerprint = '5'.padStart(64, 'f')

/** The oldest rows belong to flow and repository 99, 40 of them, and all others to flows and repositories 0 to 9. */
async function fillOrg(): Promise<void> {
  const template = makeId('01900001', 1)
  const id = (prefix: string, number: string) =>
    `('${prefix}-0000-7000-8000-' || lpad((${number})::text, 12, '0'))::uuid`
  const owner = 'case when n <= 40 then 99 else n % 10 end'
  const numbers = `from generate_series(1, ${ROWS}) n`
  await app.sql(`
    insert into templates (org_id, template_id, content_sha256, content, parsed, fresh_state, created_at)
    values ('${org_id}', '${template}', 'x', 'version: 1', '{}', 'COMPLIANT', now());
    insert into flows (org_id, flow_id, name, description, visibility, template_id, tags, created_by, created_at,
      last_modified_at)
    select '${org_id}', ${id('01900002', 'n')}, 'flow-' || n, '', 'private', '${template}',
      case n when 99 then '{"team": "old"}'::jsonb else '{}' end, 'x', now(), now()
    from generate_series(0, 99) n;
    insert into repos (org_id, repo_id, provider, external_id, name, url, description, namespace_path, additional_info,
      created_at, last_modified_at)
    select '${org_id}', ${id('01900003', 'n')}, 'git', n, 'repo-' || n, '', '', '[]', '{}', now(), now()
    from generate_series(0, 99) n;
    insert into trails (org_id, trail_id, flow_id, name, description, template_id, compliance_state, evaluated_at,
      created_by, created_at, last_modified_at)
    select '${org_id}', ${id('01900004', 'n')}, ${id('01900002', owner)}, 'trail-' || n, '', '${template}',
      'COMPLIANT', now(), 'x', now(), now() ${numbers};
    insert into artifacts (org_id, artifact_id, flow_id, trail_id, template_reference_name, fingerprint, filename,
      state, is_current, repo_id, report, report_id, reported_by, created_by, created_at, last_modified_at)
    select '${org_id}', ${id('01900005', 'n')}, ${id('01900002', owner)}, ${id('01900004', 'n')}, 'image',
      lpad(n::text, 64, 'f'), 'image', 'COMPLIANT', true, ${id('01900003', owner)}, '{}', ${id('01900005', 'n')}, 'x',
      'x', now(), now() ${numbers};
    insert into attestations (org_id, attestation_id, flow_id, trail_id, artifact_id, target_artifacts,
      attestation_name, attestation_type, is_compliant, report, reported_by, created_at)
    select '${org_id}', ${id('01900006', 'n')}, ${id('01900002', owner)}, ${id('01900004', 'n')},
      ${id('01900005', 'n')}, '{}', 'unit', 'generic', true, '{}', 'x', now() ${numbers};
    insert into environments (org_id, environment_id, name, type, description, created_by, created_at,
      last_modified_at)
    values ('${org_id}', '${environment_id}', 'big', 'K8S', '', 'x', now(), now());
    insert into running_artifacts (org_id, environment_id, artifact_key, fingerprint, name, instance_count, instances,
      detail_hash, replaced, evaluation, flow_ids, repo_ids, was, is_run_ahead, is_verdict_ahead)
    select '${org_id}', '${environment_id}', 'key-' || n, lpad(n::text, 64, 'f'), 'x', 1, '{}', 'x', '[]', '{}', '{}',
      '{}', 1, false, false ${numbers};
    analyze`)
}

const countRows = (statement: string, table: string, params: Record<string, unknown>) =>
  countRowsRead(app, { statement, table, params: { org_id, ...params }, scope: { org: org_id } })

describe('trails', () => {
  const filter = {
    archived: false,
    flow_id: null,
    tag_key: null,
    tag_value: null,
    from_at: null,
    to_at: null,
  }
  it.each<[string, string, Record<string, unknown>]>([
    ['of all flows', 'trails.list', {}],
    ['of a flow', 'trails.list_of_flows', { flow_id: flow(99) }],
    ['of a flow with a tag', 'trails.list_of_flows', { tag_key: 'team', tag_value: 'old' }],
    ['of archived flows', 'trails.list_of_flows', { archived: true }],
    ['of an artifact', 'trails.list_of_artifact', { fingerprint, state: null }],
    ['of an artifact, counted', 'trails.count_of_artifact', { fingerprint, state: null }],
  ])('%s', async (_title, statement, more) => {
    expect(await countRows(statement, 'trails', { ...filter, ...ids, ...slice, ...more })).toBeLessThan(FEW)
  })
})

describe('artifacts', () => {
  const filter = { archived: false, flow_id: null, repo_id: null, ...slice }
  it.each<[string, string, Record<string, unknown>]>([
    ['of all flows', 'artifacts.list', {}],
    ['of a flow', 'artifacts.list_of_flow', { flow_id: flow(99) }],
    ['of a repository', 'artifacts.list_of_repo', { repo_id: repo(99) }],
  ])('%s', async (_title, statement, more) => {
    expect(await countRows(statement, 'artifacts', { ...filter, ...more })).toBeLessThan(FEW)
  })
})

describe('attestations', () => {
  const filter = {
    archived: false,
    flow_id: null,
    flows: null,
    name: null,
    types: null,
    from: null,
    to: null,
  }
  const unfiltered = { ...filter, is_compliant: null, is_waiting: null, ...ids, limit: PAGE_SIZE }
  it.each<[string, string, Record<string, unknown>]>([
    ['of all flows', 'attestations.list', {}],
    ['on a late page', 'attestations.list', { end_id: attestation(30) }],
    ['of a flow', 'attestations.list_of_flows', { flow_id: flow(99) }],
    ['of named flows', 'attestations.list_of_flows', { flows: ['flow-99'] }],
    ['of archived flows', 'attestations.list_of_flows', { archived: true }],
  ])('%s', async (_title, statement, more) => {
    expect(await countRows(statement, 'attestations', { ...unfiltered, ...more })).toBeLessThan(FEW)
  })
})

describe('builds', () => {
  const period = { from_id: FIRST_ID, to_id: LAST_ID, from_at: new Date(0), to_at: new Date('2100-01-01') }
  // For each artifact, the query looks up the earlier ones with the same fingerprint.
  it.each(['builds.list_of_repos', 'builds.count_of_repos'])('of a repository: %s', async statement => {
    const params = { ...period, ...slice, repo_ids: [repo(99)] }
    expect(await countRows(statement, 'artifacts', params)).toBeLessThan(2 * FEW)
  })
})

describe('running artifacts', () => {
  it('with some keys', async () => {
    const params = { environment_id, keys: ['key-1', 'key-2', 'key-3'] }
    expect(await countRows('running.previous_evaluations_of', 'running_artifacts', params)).toBe(3)
  })
})
