// Rules for every list: it links to the next page, rejects pages above its maximum, and rejects periods that end
// before they begin. Iterates over all operations, so a new list is covered or fails here.
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { addControl, buildControlPolicy, buildDecision } from './controls.ts'
import { addDelivery } from './deliveries.ts'
import { attach, buildPodReport, putPolicy } from './environments.ts'
import { fillApproval, fillOrg } from './filled-org.ts'
import { BASE_URL, startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { makeBuild, makeFingerprint, nameTrail, SHA } from './reports.ts'

/** Every paged list, with the path of one that has several items. */
const PAGED_PATHS: Record<string, string> = {
  listFlows: '/flows/acme',
  listTrails: '/trails/acme',
  listTrailsOfFlow: '/trails/acme/built',
  listBuilds: '/builds/acme',
  listFlowNotifications: '/organizations/acme/flows_notifications',
  listAttestationsOfFlow: '/attestations/acme/built',
  listEnvironments: '/environments/acme',
  listSnapshots: '/snapshots/acme/cluster',
  listSnapshotArtifacts: '/snapshots/acme/cluster/-1/artifacts',
  listEnvironmentEvents: '/environments/acme/cluster/events',
  listLateReports: '/environments/acme/cluster/late-reports',
  listDeploymentsOfEnvironment: '/environments/acme/cluster/deployments',
  listDeployments: '/deployments/acme',
  listDeploymentsOfRepo: '/repos/acme/{repo_id}/deployments',
  getDeploymentsOfArtifact: '/deployments/acme/cluster/ccccc',
  listPolicies: '/policies/acme',
  listEnvironmentNotifications: '/organizations/acme/environments_notifications',
  listArtifacts: '/artifacts/acme',
  listAttestations: '/attestations/acme',
  listControls: '/controls/acme',
  listControlVersions: '/controls/acme/CTRL-2/versions',
  listControlDecisions: '/controls/acme/CTRL-2/decisions',
  getControlCoverage: '/controls/acme/CTRL-2/coverage',
  getControlCoverageMatrix: '/control-coverage/acme',
  listControlStates: '/control-states/acme',
  getControlState: '/controls/acme/CTRL-2/environments/cluster',
  getRunningMatrix: '/running/acme',
  listRepos: '/repos/acme',
  searchCommitTrails: `/search/acme/commit/${SHA}/trails`,
  listMembers: '/members/acme',
  getMembershipAuditLog: '/membership-audit-log/acme',
  listNotificationDeliveries: '/notification-deliveries/acme',
  listAuditEvents: '/audit-events/acme',
  listApprovals: '/approvals/acme/built',
}

/** Lists that are not paged. */
const UNPAGED = [
  'getAllowList',
  'getArtifactsByCommit',
  'listAllowLists',
  'listApprovalsOfArtifact',
  'listAttestationTypes',
  'listAttestationsOfArtifact',
  'listAttestationsOfTrail',
  'listBadges',
  'listCustomAttestationTypes',
  'listDecisions',
  'listInvitations',
  'listMailDomains',
  'listOrganizationStates',
  'listOrganizations',
  'listPersonalApiKeys',
  'listScimTokens',
  'listServiceAccountApiKeys',
  'listServiceAccounts',
  'listSessions',
  'listSystemAttestationTypes',
  'listTrustRules',
]

/** Pages several lists at once; api/trails/get.test.ts tests it. */
const SEVERAL_LISTS = 'getTrail'

/** The parameters of a period: start, end. */
const PERIODS = [
  ['from', 'to'],
  ['from_timestamp', 'to_timestamp'],
  ['start_ts', 'end_ts'],
] as const

let app: TestApp
let repo_id: string
beforeAll(async () => {
  app = await startTestApp()
  await fillOrg(app, app.admin, 'acme')
  await addDelivery(app)
  await addDelivery(app)
  const commit = { git_commit_info: { sha1: SHA } }
  for (const [name, id] of [
    ['one', '1'],
    ['two', '2'],
  ] as const) {
    const repo_info = { id, name: `acme/${name}`, url: `https://git.example.com/${name}` }
    await app.admin.put('/trails/acme/built', { name, repo_info, ...commit })
    await app.admin.post(
      '/artifacts/acme/built',
      makeBuild(makeFingerprint(id), { ...nameTrail(name), repo_info }),
    )
    await app.admin.put(`/policies/acme/policy-${name}`, {
      policy_yaml: '_schema: https://waybill.example/v1\n',
    })
    await app.admin.put('/environments/acme', { name, type: 'K8S' })
    await fillApproval(app.admin, 'acme', 'built', makeFingerprint(id))
  }
  await app.admin.put('/organizations/acme/environments_notifications', {
    name: 'second',
    environments: ['one'],
    triggers: ['ON_COMPLIANT_ENV'],
    targets: [{ type: 'EMAIL', emails: ['ops@example.com'] }],
  })
  for (const name of ['first', 'second']) {
    await app.admin.put('/organizations/acme/flows_notifications', {
      name,
      flows: ['built'],
      triggers: ['ON_APPROVAL'],
      targets: [{ type: 'EMAIL', emails: ['ops@example.com'] }],
    })
  }
  await addControl(app, 'CTRL-2')
  await app.admin.put('/controls/acme/CTRL-2', { name: 'Another name' })
  await putPolicy(app, 'needs-a-decision', buildControlPolicy('CTRL-2'))
  await attach(app, 'cluster', 'needs-a-decision')
  for (const name of ['one', 'two'])
    await app.admin.post(`/attestations/acme/built/trail/${name}/system`, buildDecision('CTRL-2', true))
  for (const running of ['abc', 'ab', 'abc'])
    await app.admin.put('/environments/acme/cluster/report/K8S', buildPodReport(...running))
  for (const observed_at of [1, 2])
    await app.admin.put('/environments/acme/cluster/report/K8S', { ...buildPodReport('a'), observed_at })
  for (const name of ['one', 'two'])
    await app.admin.put(`/environments/acme/${name}/report/K8S`, buildPodReport('1'))
  repo_id = (await app.admin.get('/repos/acme/acme/one')).body.id
})
afterAll(() => app.stop())

const lists = operations.map(({ contract }) => contract).filter(({ method }) => method === 'GET')
const getSizeParameter = (contract: Contract) =>
  ['per_page', 'page_size'].find(name => name in getParameters(contract)) ?? ''
const paged = lists.filter(contract => getSizeParameter(contract) !== '' && contract.id !== SEVERAL_LISTS)

function getParameters({ query }: Contract): Record<string, TSchema & { maximum?: number }> {
  return (
    (query as { properties?: Record<string, TSchema & { maximum?: number }> } | undefined)?.properties ?? {}
  )
}

describe('a list', () => {
  it('is in one of the tables here', () => {
    expect(paged.map(({ id }) => id).sort()).toEqual(Object.keys(PAGED_PATHS).sort())
    const plain = lists.filter(contract => getSizeParameter(contract) === '' && isArray(contract.returns))
    expect(plain.map(({ id }) => id).sort()).toEqual(UNPAGED)
  })

  it.each(paged.map(contract => [contract.id, contract] as const))(
    '%s links from page to page, and the pages add up to the whole list',
    async (id, contract) => {
      const path = getPagedPath(id)
      const full = await get(`${path}?${getSizeParameter(contract)}=${getMaximum(contract)}`)
      const { per_page = getMaximum(contract) } = full.body.pagination ?? full.body
      expect(per_page).toBe(getMaximum(contract))
      const whole = getItems(full)
      expect(whole.length).toBeGreaterThan(1)
      const found: unknown[] = []
      let next: string | undefined = `${path}?${getSizeParameter(contract)}=1`
      while (next !== undefined) {
        const answer: TestResponse = await get(next)
        found.push(...getItems(answer))
        next = found.length > whole.length ? undefined : getNextPath(next, answer)
      }
      expect(found).toEqual(whole)
    },
  )

  it.each(paged.map(contract => [contract.id, contract] as const))(
    '%s rejects a page size above its maximum',
    async (id, contract) => {
      const field = getSizeParameter(contract)
      const maximum = getMaximum(contract)
      const { status, body } = await app.admin.get(`${getPagedPath(id)}?${field}=${maximum + 1}`)
      expect(status).toBe(400)
      expect(body.errors).toEqual({
        [`query.${field}`]: `Input should be less than or equal to ${maximum} [input: ${maximum + 1}]`,
      })
    },
  )
})

const backwards = operations.flatMap(({ contract }) =>
  PERIODS.filter(names => names.every(name => name in getParameters(contract))).map(
    names => [contract.id, ...names, contract] as const,
  ),
)

describe('a period', () => {
  it.each(backwards)('of %s that ends before it begins gets 400 on %s', async (_id, from, to, contract) => {
    const params: Record<string, string> = {
      org: 'acme',
      env_name: 'cluster',
      flow_name: 'built',
      identifier: 'CTRL-2',
      repo_id,
    }
    const path = contract.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? name)
    const more = contract.id === 'getBuildFrequency' ? '&repo_name=acme%2Fone' : ''
    const { status, body } = await app.admin.get(`${path}?${from}=1772539201&${to}=1772539200${more}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [`query.${from}`]: 'The period should begin before it ends' })
    const instant = await app.admin.get(`${path}?${from}=1772539200&${to}=1772539200${more}`)
    expect(instant.status).toBe(200)
  })
})

const getPagedPath = (id: string): string => (PAGED_PATHS[id] ?? '').replace('{repo_id}', repo_id)

async function get(path: string): Promise<TestResponse> {
  const answer = await app.admin.get(path)
  expect(answer.status, path).toBe(200)
  return answer
}

function isArray(schema: TSchema): boolean {
  return (schema as { type?: string }).type === 'array'
}

function getMaximum(contract: Contract): number {
  return getParameters(contract)[getSizeParameter(contract)]?.maximum ?? Number.NaN
}

/** The list in a response, without the fields that depend on the time or the page. */
function getItems({ body }: TestResponse): unknown[] {
  if (Array.isArray(body)) return body
  const lists = [
    'data',
    'events',
    'controls',
    'deployments',
    'artifacts',
    'environments',
    'repos',
    'trails',
    'builds',
  ]
  const name = [...lists, 'versions', 'decisions', 'deliveries'].find(list => Array.isArray(body[list]))
  return body[name ?? '']
}

/** The path of the next page, as the response gives it. */
function getNextPath(path: string, { body, headers }: TestResponse): string | undefined {
  const linked = /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1] ?? body._links?.next?.href
  if (linked !== undefined) return linked.replace(`${BASE_URL}/api/v2`, '')
  const { page, page_count, after } = body.pagination ?? {}
  if (page < page_count) return setParameter(path, 'page', page + 1)
  if (after) return setParameter(path, 'after', after)
  return body.next ? setParameter(path, 'cursor', body.next) : undefined
}

function setParameter(path: string, name: string, value: string | number): string {
  const url = new URL(path, BASE_URL)
  url.searchParams.set(name, String(value))
  return url.pathname + url.search
}
