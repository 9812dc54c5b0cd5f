// An organization with resources for every operation, and their names: half of the requests of the fuzz test are about
// resources that exist.
import { prepareSession } from '../browser.ts'
import { prepareTrustRule } from '../ci-issuer.ts'
import { prepareControl } from '../controls.ts'
import { prepareDelivery } from '../deliveries.ts'
import { buildPodReport } from '../environments.ts'
import { fillOrg } from '../filled-org.ts'
import { type Client, makeFile, ORG, OTHER_ORG, OUTSIDER, ROLE_USERS, type TestApp } from '../harness.ts'
import { prepareNotification } from '../notification-targets.ts'
import { addPerson, preparePeople } from '../people.ts'
import { makeBuild, makeFingerprint, nameTrail, SHA } from '../reports.ts'
import type { DocumentedOperation } from './document.ts'
import { POLICY, TEMPLATE, WORDS } from './words.ts'

/** Organizations that nothing else depends on: one to delete, one whose settings may change. */
const TO_DELETE = 'leaving'
const TO_CHANGE = 'changing'

/** No request targets the callers, because later requests need them. */
const CALLERS: ReadonlySet<string> = new Set([...Object.values(ROLE_USERS), OUTSIDER])
/** May be archived, renamed, deleted or removed; everything else stays for later requests. */
const REMOVABLE = ['four', 'five', 'six', 'seven']
const REMOVABLE_PEOPLE = ['moe', 'moritz']
const PEOPLE = ['mia', 'mel', ...REMOVABLE_PEOPLE]
const SPARES = ['one', 'two', 'three', ...REMOVABLE]
const TYPES = ['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'cloud-run', 'logical']
/** Writes whose example removes something that later requests need. */
const REMOVES = /\/(archive|rename|accept)$|^\/members\/|^\/user\/\{org\}$/
/** Has several keys, and is never removed. */
const ACCOUNT = 'robot'
/** The flow with the decisions on controls, and the control that has some. */
const DECIDING_FLOW = 'flow-for-getControlDecision'
const DECIDED = 'control-to-read'
/** Resources that the examples refer to. */
const IN_EXAMPLES = {
  environments: ['prod', 'environment-to-try'],
  policies: ['policy-to-attach', 'policy-to-detach', 'provenance-required'],
  types: ['coverage-metrics', 'coverage-to-archive', 'coverage-to-unarchive'],
  fingerprint: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
}

export interface Prepared {
  /** Existing values for a path parameter of an operation. */
  inPath(operation: DocumentedOperation, name: string): readonly string[]
  /** Existing values for a field of a body or a query. */
  inBody(name: string): readonly string[]
}

export async function prepareOrg(
  app: TestApp,
  operations: readonly DocumentedOperation[],
): Promise<Prepared> {
  await app.admin.patch(`/organizations/${ORG}`, { features: { controls: true } })
  await fillOrg(app, app.admin, ORG)
  for (const name of [TO_DELETE, TO_CHANGE]) await app.admin.post('/organizations', { name })
  for (const name of PEOPLE) await addPerson(app, name, 'reader')
  for (const name of [...SPARES, DECIDING_FLOW]) await addSpare(app.admin, name)
  for (const type of TYPES) await app.admin.put(`/environments/${ORG}`, { name: `runs-${type}`, type })
  await prepareExamples(app, operations)
  await app.evaluate()
  const fixed = await readFixedNames(app)
  const inBodies = buildBodyNames(await readCursors(app.admin))
  const listed = await readListedNames(app.admin, operations, fixed)
  return {
    inBody: name => WORDS[name] ?? inBodies[name] ?? fixed[name] ?? [],
    inPath: (operation, name) => {
      const only = findOnlyNames(operation, name)
      if (only) return only
      const example = operation.example?.params?.[name]
      const place = operation.path.slice(0, operation.path.indexOf(`{${name}`))
      const named = selectSpares(fixed[name] ?? [], operation)
      const values = [
        ...named,
        ...selectSpares(listed[place] ?? [], operation),
        ...(example ? [example] : []),
      ]
      return values.filter(value => !CALLERS.has(value))
    },
  }
}

/** Operations that remove something get removable names or every other id; all others get the rest. */
function selectSpares(values: readonly string[], { method, path }: DocumentedOperation): string[] {
  const is_removal = method === 'DELETE' || /\/(archive|rename)$/.test(path)
  const leaving = new Set([...REMOVABLE, ...REMOVABLE_PEOPLE])
  if (values.some(value => leaving.has(value)))
    return values.filter(value => leaving.has(value) === is_removal)
  const has_ids = values.length > 1 && values.every(value => /^[0-9a-f-]{36}$|^\d+$/.test(value))
  return has_ids ? values.filter((_, i) => (i % 2 === 1) === is_removal) : [...values]
}

/** The only names that make sense for a parameter, or that an operation may touch. */
function findOnlyNames({ id, path }: DocumentedOperation, name: string): readonly string[] | undefined {
  if (name === 'org' && id === 'deleteOrganization') return [TO_DELETE]
  if (name === 'org' && id === 'patchOrganization') return [TO_CHANGE]
  if (name === 'name' && path.includes('{key_id}')) return [ACCOUNT]
  if (name === 'identifier' && path.includes('{decision_id}')) return [DECIDED]
  if (name === 'env_name' && path.endsWith('/join')) return ['all', 'runs-logical']
  const type = name === 'env_name' ? /\/report\/([^/]+)$/.exec(path)?.[1] : undefined
  return type === undefined ? undefined : [`runs-${type}`]
}

/** One of everything that can be archived, renamed, revoked or removed without breaking later requests. */
async function addSpare(admin: Client, name: string): Promise<void> {
  await admin.form('PUT', `/flows/${ORG}/template_file`, {
    data_json: JSON.stringify({ name }),
    template_file: makeFile(TEMPLATE),
  })
  await admin.put(`/trails/${ORG}/${name}`, { name: 'trail', git_commit_info: { sha1: SHA } })
  for (const fingerprint of [makeFingerprint('a'), IN_EXAMPLES.fingerprint]) {
    await admin.post(`/artifacts/${ORG}/${name}`, makeBuild(fingerprint, nameTrail('trail')))
  }
  await admin.form('POST', `/attestations/${ORG}/${name}/trail/trail/generic`, {
    data_json: JSON.stringify({ attestation_name: 'a', is_compliant: true }),
    attachment_file: makeFile(name),
  })
  await admin.put(`/environments/${ORG}`, { name, type: 'K8S' })
  await admin.put(`/policies/${ORG}/${name}`, { policy_yaml: POLICY })
  await admin.post(`/environments/${ORG}/${name}/policies`, { policy_names: [name] })
  await admin.put(`/environments/${ORG}/${name}/report/K8S`, buildPodReport('a', 'b'))
  await admin.put(`/environments/${ORG}/${name}/report/K8S`, buildPodReport('b', 'c'))
  await admin.put(`/allowlists/${ORG}/${name}`, {
    artifact_fingerprint: makeFingerprint('c'),
    artifact_name: 'image:1',
    description: 'reviewed',
  })
  await admin.post(`/custom-attestation-types/${ORG}`, { name })
  await admin.post(`/service-accounts/${ORG}`, { name })
  await admin.post(`/service-accounts/${ORG}/${ACCOUNT}/api-keys`, { description: name })
  await admin.post('/user/api-keys', { description: name })
  await admin.post(`/badge-tokens/${ORG}`, { environment_name: name, label: name })
  await admin.post(`/scim-tokens/${ORG}`, { description: name })
  await admin.post(`/invitations/${ORG}`, { email: `${name}@example.com`, role: 'reader' })
  await admin.put(`/organizations/${ORG}/environments_notifications`, {
    name,
    environments: [name],
    triggers: ['ON_COMPLIANT_ENV'],
    targets: [{ type: 'EMAIL', emails: [`${name}@example.com`] }],
  })
  await admin.put(`/organizations/${ORG}/flows_notifications`, {
    name,
    flows: [name],
    triggers: ['ON_APPROVAL'],
    targets: [{ type: 'EMAIL', emails: [`${name}@example.com`] }],
  })
}

/** Runs the preparations of the test of every operation, and all examples: they cover new operations too. */
async function prepareExamples(app: TestApp, operations: readonly DocumentedOperation[]): Promise<void> {
  for (const name of IN_EXAMPLES.environments) {
    await app.admin.put(`/environments/${ORG}`, { name, type: 'K8S' })
    await app.admin.put(`/environments/${ORG}/${name}/report/K8S`, buildPodReport('a'))
    await app.admin.put(`/environments/${ORG}/${name}/report/K8S`, buildPodReport('a', 'b'))
  }
  for (const name of IN_EXAMPLES.policies) {
    await app.admin.put(`/policies/${ORG}/${name}`, { policy_yaml: POLICY })
    await app.admin.post(`/environments/${ORG}/prod/policies`, { policy_names: [name] })
  }
  for (const name of IN_EXAMPLES.types) await app.admin.post(`/custom-attestation-types/${ORG}`, { name })
  for (const { contract } of operations) {
    await preparePeople(contract, app)
    await prepareTrustRule(contract, app, 'prepared')
    await prepareSession(contract, app)
    await prepareNotification(contract, app, 'prepared')
    await prepareDelivery(contract, app)
    await prepareControl(contract, app, 'prepared')
  }
  for (const operation of operations) {
    const { method, path, example } = operation
    if (!['PUT', 'POST'].includes(method) || REMOVES.test(path)) continue
    const valueFor = (name: string) => example?.params?.[name] ?? findOnlyNames(operation, name)?.[0]
    await app.admin.call(method, buildPath(path, valueFor), example?.body)
  }
}

/** A path to existing resources. */
function buildPath(path: string, valueFor: (name: string) => string | undefined): string {
  const defaults: Record<string, string> = {
    org: ORG,
    trail_name: 'trail',
    name: ACCOUNT,
    identifier: DECIDED,
  }
  return path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => valueFor(name) ?? defaults[name] ?? 'one')
}

async function readFixedNames(app: TestApp): Promise<Record<string, string[]>> {
  const { body: page } = await app.admin.get(`/attestations/${ORG}?per_page=20`)
  const { body: attached } = await app.admin.get(`/attestations/${ORG}/one/trail/trail/a`)
  const attestations = [...page.data, ...attached] as { attestation_id: string }[]
  const flows = ['built', 'second', 'first', ...SPARES]
  const environments = ['cluster', 'old-name', 'all', ...SPARES, ...TYPES.map(type => `runs-${type}`)]
  return {
    // Most requests should get past authorization.
    org: [...Array<string>(30).fill(ORG), OTHER_ORG],
    user: [...PEOPLE, 'nobody'],
    flow_name: flows,
    trail_name: ['trail'],
    env_name: environments,
    fingerprint: [
      makeFingerprint('a'),
      makeFingerprint('b'),
      makeFingerprint('c'),
      makeFingerprint('a').slice(0, 7),
      makeFingerprint('d'),
    ],
    sha: [SHA, SHA.slice(0, 7)],
    value: [SHA, makeFingerprint('a'), makeFingerprint('b').slice(0, 8)],
    attestation_id: attestations.map(({ attestation_id }) => attestation_id),
    attestation_name: ['a', 'b'],
    repo_name: ['acme/backend'],
    resource_id: [...flows, ...environments, 'acme/backend'],
    snapshot_expression: ['1', '2', '#1', '-1', '~0', '~1', '@{now}', '@{2.hours.ago}'],
    environments,
    policy_names: [...SPARES, 'rules'],
  }
}

/** Existing values for fields of bodies and parameters of queries. */
function buildBodyNames(cursors: string[]): Record<string, readonly string[]> {
  return {
    after: cursors,
    artifact_fingerprint: [makeFingerprint('a'), makeFingerprint('b'), IN_EXAMPLES.fingerprint],
    attestation_name: ['a', 'b', 'image,other'],
    confirm: [TO_DELETE],
    control: [DECIDED, 'CTRL-1'],
    cursor: cursors,
    emails: ['ada@example.com'],
    environment_name: SPARES,
    flow: SPARES,
    git_commit: [SHA],
    issuer: ['https://ci.example'],
    name: SPARES,
    physical_env_name: [...SPARES, 'all'],
    policy_name: SPARES,
    sha1: [SHA],
    snapshots: ['one', 'one#1', 'one~1', 'two@{now}', 'all'],
    snappish1: ['one', 'one~1', 'cluster#1', 'two@{now}', 'all'],
    snappish2: ['one', 'two', 'one#2', 'all~1'],
    target_artifacts: ['image'],
    type_name: SPARES,
  }
}

async function readCursors(admin: Client): Promise<string[]> {
  const events = await admin.get(`/audit-events/${ORG}?per_page=3`)
  const attestations = await admin.get(`/attestations/${ORG}?per_page=1`)
  const found = [events.body.next, attestations.body.pagination.after]
  return found.filter(cursor => typeof cursor === 'string')
}

/** Values from the list before a parameter: `GET /invitations/{org}` for `{invitation_id}`. */
async function readListedNames(
  admin: Client,
  operations: readonly DocumentedOperation[],
  fixed: Record<string, string[]>,
): Promise<Record<string, string[]>> {
  const own = new Set(await listOwnKeys(admin))
  const listed: Record<string, string[]> = {}
  for (const { path } of operations) {
    const [, before, name] = /^(.*)\/\{(\w+)\+?\}/.exec(path) ?? []
    if (before === undefined || name === undefined || fixed[name] || listed[`${before}/`]) continue
    if (!operations.some(list => list.method === 'GET' && list.path === before)) continue
    const { body } = await admin.get(buildPath(before, () => undefined))
    const items = (Array.isArray(body) ? body : Object.values(body).find(Array.isArray)) ?? []
    const names = (items as Record<string, unknown>[]).map(
      item => item[name] ?? item.id ?? item.identifier ?? item.number ?? item.name,
    )
    const known = names.filter(value => typeof value === 'string' || typeof value === 'number').map(String)
    listed[`${before}/`] = known.filter(value => !own.has(value))
  }
  return listed
}

/** The keys that the run itself uses and must not revoke. */
async function listOwnKeys(admin: Client): Promise<string[]> {
  const { body } = await admin.get('/user/api-keys')
  const described = body as { id: string; description: string }[]
  return described.filter(({ description }) => !SPARES.includes(description)).map(({ id }) => id)
}
