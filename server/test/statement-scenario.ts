// Work through the API that sends most statements of the service, to learn the values that it sends.
import { operations } from '../src/api/operations.ts'
import type { Statement } from '../src/db/statement.ts'
import { buildPodReport } from './environments.ts'
import { BASE_URL, ORG, type TestApp } from './harness.ts'
import { fillTwoOrgs } from './large-org.ts'
import { MOST, makeMailWorker } from './mail-worker.ts'
import { reopen } from './people.ts'
import { buildPathFor, prepareFor } from './prepare-operation.ts'
import { makeBuild, makeFingerprint, nameTrail, SHA } from './reports.ts'
import { recordQueries, type SentQuery } from './sent-queries.ts'
import { untilIdle } from './statement-log.ts'

/** Lists with their filters; the examples of the operations use few of them. */
const LISTS = [
  'artifacts/acme',
  'artifacts/acme?flow_name=built',
  'artifacts/acme?state=COMPLIANT',
  'artifacts/acme?state=COMPLIANT&flow_name=built',
  'artifacts/acme?search_by_name=image',
  'artifacts/acme?repo_id=311',
  'attestations/acme',
  'attestations/acme/built',
  'attestations/acme/built?page=1&per_page=20',
  'builds/acme?repo_name=acme/backend',
  'builds/acme/statistics?repo_name=acme/backend',
  'deployments/acme?flow_name=built',
  'trails/acme',
  'trails/acme/built',
  'trails/acme?state=COMPLIANT',
  'trails/acme?search_by_name=trail',
  `trails/acme?fingerprint=${'a'.repeat(64)}`,
  'flows/acme?sort=latest_activity',
  'flows/acme?search_by_name=built',
  'environments/acme?compliance=compliant&sort=compliance&per_page=15',
  'environments/acme/cluster/events',
  'environments/acme/all/events',
  'snapshots/acme/all/-1',
  'snapshots/acme/cluster/-1',
  'membership-audit-log/acme?sort=user',
  'policies/acme',
]

/** Fills two organizations, requests every operation with its example, and lists. */
export async function recordScenario(app: TestApp): Promise<Map<string, SentQuery[]>> {
  const sent = await recordQueries(async () => {
    await fillTwoOrgs(app)
    for (const { contract } of operations) {
      await prepareFor(contract, app)
      const query = new URLSearchParams(contract.example?.query).toString()
      const path = buildPathFor(contract, ORG, app) + (query === '' ? '' : `?${query}`)
      await app.admin.call(contract.method, path, contract.example?.body ?? undefined)
      if (contract.id === 'deleteOrganization') await reopen(app)
    }
    await app.evaluate()
    await app.admin.put('/environments/acme/cluster/report/K8S', buildPodReport('a', 'c'))
    await app.evaluate()
    await reportBuilds(app)
    await sendMails(app)
    for (const path of LISTS) await app.admin.get(`/${path}`)
    await untilIdle(app.db)
  })
  const byName = new Map<string, SentQuery[]>()
  for (const query of sent) byName.set(query.name, [...(byName.get(query.name) ?? []), query])
  return byName
}

/** Builds with a repository, without a trail, reported again, and evidence that arrives first. */
async function reportBuilds({ admin }: TestApp): Promise<void> {
  const repo_info = { id: '312', name: 'acme/web', url: 'https://git.example.com/web', provider: 'github' }
  const early = { attestation_name: 'b', target_artifacts: ['image'], is_compliant: true }
  const commit = { git_commit_info: { sha1: SHA, branch: 'main' } }
  await admin.post('/attestations/acme/built/trail/early/generic', { ...early, ...commit, repo_info })
  await admin.post(
    '/artifacts/acme/built',
    makeBuild(makeFingerprint('d'), { ...nameTrail('early'), repo_info }),
  )
  await admin.post('/artifacts/acme/built', makeBuild(makeFingerprint('e'), nameTrail('early')))
  await admin.post('/artifacts/acme/built', makeBuild(makeFingerprint('f')))
}

/** To one address, beyond the limit; then its reader stops all mail, and allows it again. */
async function sendMails(app: TestApp): Promise<void> {
  const mails = makeMailWorker(app)
  const [row] = await app.sql('select org_id from orgs where name = $1', [ORG])
  const id = { org_id: String(row?.org_id), message_id: 'one' }
  const to = 'ines@public.example'
  const from_org = { kind: 'organization', name: ORG, link: BASE_URL } as const
  const mail = { to, subject: 'One', text: 'Text', html: '<p>Text</p>' }
  for (let sent = 0; sent <= MOST; sent++) await mails.sendLimited(id, { ...mail, from_org })
  await mails.sendLimited(id, { ...mail, from_org: { ...from_org, kind: 'alert' } })
  const { pathname, search } = new URL(mails.arrived[0]?.stop_url ?? BASE_URL)
  await app.server.inject({ method: 'POST', url: pathname + search })
  await app.server.inject({ method: 'POST', url: pathname.replace('/stop', '/allow') + search })
}

type AnyStatement = Statement<unknown, unknown>

/**
 * Values for a statement that the scenario does not send: each parameter gets the value that another statement got
 * under the same name, preferably one of the same store.
 */
export function borrowValues(
  statement: AnyStatement,
  statements: readonly AnyStatement[],
  recorded: ReadonlyMap<string, readonly SentQuery[]>,
): SentQuery | undefined {
  const getStore = ({ name }: AnyStatement) => name.split('.')[0]
  const lenders = statements
    .filter(({ name }) => recorded.has(name))
    .sort((a, b) => Number(getStore(b) === getStore(statement)) - Number(getStore(a) === getStore(statement)))
  const values = statement.order.map(param => {
    const type = statement.params[param]
    for (const lender of lenders) {
      if (!lender.params[param]?.pg.some(pg => type?.pg.includes(pg))) continue
      const queries = recorded.get(lender.name) ?? []
      const value = queries.map(({ values }) => values[lender.order.indexOf(param)]).find(v => v !== null)
      if (value !== undefined) return value
    }
    return type?.nullable ? null : makeValue(type?.pg[0] ?? '')
  })
  const inOrg = lenders.find(({ params }) => 'org_id' in params)
  const scope = recorded.get(
    (lenders.find(l => getStore(l) === getStore(statement)) ?? inOrg)?.name ?? '',
  )?.[0]?.scope
  return scope && { name: statement.name, values, scope, plans: 'auto', before: [] }
}

/** A value of the type, for parameters that no recorded statement has. */
function makeValue(type: string): unknown {
  if (type.startsWith('_')) return []
  if (type === 'json' || type === 'jsonb') return '[]'
  if (type === 'bool') return true
  if (type === 'timestamptz') return new Date(0)
  if (type === 'uuid') return '01900000-0000-7000-8000-000000000000'
  if (type === 'bytea') return Buffer.alloc(32)
  return type.startsWith('int') ? 20 : 'none'
}
