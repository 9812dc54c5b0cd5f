// The net over all operations: whatever a request can name is declared on its field, and a key that is limited to other
// flows and environments gets 403 for it, in the path, the query and the body.
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { ABOUT, listNamingFields, type NamingField } from '../src/domain/schema.ts'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import { getNeededAccess, isRole } from './roles.ts'

/** Fields that sound as if they named a flow, an environment or a policy, and why they do not, also of one operation. */
const NAME_NOTHING: Readonly<Record<string, string>> = {
  // Free text, and content that is checked as such.
  description: 'free text',
  label: 'free text',
  policy_yaml: 'the content of a policy',
  identifier: 'a control',
  // Names within the place that the path names.
  'name of beginTrail': 'a trail of the flow in the path',
  template_reference_name: 'an artifact',
  fingerprint: 'an artifact',
  snapshot_expression: 'a snapshot of the environment in the path',
  interval: 'snapshots of the environment in the path',
  start: 'a snapshot of the environment in the path',
  end: 'a snapshot of the environment in the path',
  new_name: 'a name that nothing has yet',
  // Filters of lists that are closed to limited keys, because their paths name no place.
  'environment of getRunningMatrix': 'a part of names',
  'environment of getRunningMatrixCsv': 'a part of names',
  'environment of listControlStates': 'a part of names',
  'name of listEnvironments': 'a part of names',
  search: 'a part of names',
  search_by_name: 'a part of names',
  flow_tag: 'a tag',
  'tag.*': 'a tag',
  state: 'a verdict',
  view: 'how much to show',
  // Words from a fixed list.
  type: 'a kind',
  'type.*': 'a kind',
  visibility: 'who may read',
  'operations.*': 'families of operations',
}

const SUSPICIOUS = /flow|environment|env_name|snap|polic/i

interface TextField {
  path: string[]
  description: string
}

/** All fields that are texts, also those in lists. */
function listTextFields(schema: TSchema | undefined, path: string[] = [], about = ''): TextField[] {
  if (schema === undefined) return []
  const parts = schema as unknown as Record<string, never> & {
    type?: unknown
    description?: string
    properties?: Record<string, TSchema>
    items?: TSchema
    anyOf?: TSchema[]
    [ABOUT]?: { description?: string }
  }
  const description = parts[ABOUT]?.description ?? parts.description ?? about
  return [
    ...([parts.type].flat().includes('string') ? [{ path, description }] : []),
    ...Object.entries(parts.properties ?? {}).flatMap(([name, one]) => listTextFields(one, [...path, name])),
    ...listTextFields(parts.items, [...path, '*'], description),
    ...(parts.anyOf ?? []).flatMap(one => listTextFields(one, path, description)),
  ]
}

const join = ({ path }: { path: readonly string[] }) => path.join('.')
const PARTS = ['params', 'query', 'body'] as const
const fields = operations.flatMap(({ contract }) =>
  PARTS.flatMap(part => {
    const declared = listNamingFields(contract[part]).map(join)
    return listTextFields(contract[part]).map(field => ({
      at: `${part}.${join(field)} of ${contract.id}`,
      names: [join(field), `${join(field)} of ${contract.id}`],
      isDeclared: declared.includes(join(field)),
      isSuspicious: SUSPICIOUS.test(join(field)) || SUSPICIOUS.test(field.description),
      description: field.description,
    }))
  }),
)

describe('every field that names a flow, an environment or a policy', () => {
  it('says so', () => {
    const missing = fields.filter(
      ({ isDeclared, isSuspicious, names }) =>
        isSuspicious && !isDeclared && !names.some(name => name in NAME_NOTHING),
    )
    expect(missing.map(({ at, description }) => `${at}: ${description}`)).toEqual([])
  })

  it('or has a reason that still applies', () => {
    const unused = Object.keys(NAME_NOTHING).filter(
      known =>
        !fields.some(
          ({ names, isDeclared, isSuspicious }) => names.includes(known) && isSuspicious && !isDeclared,
        ),
    )
    expect(unused).toEqual([])
  })
})

let app: TestApp
let key: Client
let foreign_flow_id: string
beforeAll(async () => {
  app = await startTestApp()
  for (const name of [OWN, FOREIGN]) {
    await app.admin.put(`/flows/${ORG}`, { name, description: '' })
    await app.admin.put(`/environments/${ORG}`, { name, type: 'K8S' })
  }
  foreign_flow_id = (await app.admin.get(`/flows/${ORG}/${FOREIGN}`)).body.id
  const accounts = `/service-accounts/${ORG}`
  await app.admin.post(accounts, { name: 'limited', privilege: 'admin', owner: null })
  const limits = { description: 'x', flows: [OWN], environments: [OWN] }
  key = app.makeClientWith((await app.admin.post(`${accounts}/limited/api-keys`, limits)).body.key)
})
afterAll(() => app.stop())

const OWN = 'own'
const FOREIGN = 'foreign'

type Part = (typeof PARTS)[number]
type Values = Record<string, unknown>

/** A copy of the values with this text in the field. */
function setField(values: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text
  if (name === '*') return [setField(undefined, rest, text)]
  return { ...(values as Values), [name]: setField((values as Values | undefined)?.[name], rest, text) }
}

/** A request about the key's own flow and environment, but for one field. */
function call({ id, path, method, example }: Contract, part: Part, field: NamingField, text: string) {
  const sent = { params: { ...example?.params }, query: { ...example?.query }, body: example?.body }
  const named = { ...sent, [part]: setField(sent[part], field.path, text) }
  const places = { org: ORG, flow_name: OWN, env_name: OWN }
  const params = { ...places, ...named.params, ...(part === 'params' ? { [field.path[0] ?? '']: text } : {}) }
  const url = path.replaceAll(
    /\{(\w+)\+?\}/g,
    (_, name: string) => (params as Record<string, string>)[name] ?? 'x',
  )
  const query = new URLSearchParams(
    Object.entries(named.query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  )
  expect(id).toBeTruthy()
  return key.call(method, query.size === 0 ? url : `${url}?${query}`, named.body)
}

function toText({ kind }: NamingField, name: string): string {
  if (kind === 'snapshot') return `${name}#1`
  return kind === 'flow id' && name === FOREIGN ? foreign_flow_id : name
}

const LIMITED = /^This key is limited to certain flows and environments, and /

const named = operations
  .filter(({ contract }) => isRole(getNeededAccess(contract)))
  .flatMap(({ contract }) =>
    PARTS.flatMap(part =>
      listNamingFields(contract[part]).map(field => {
        const title = `${contract.id}: ${part}.${join(field)}`
        return [title, { contract, part, field }] as const
      }),
    ),
  )

describe('a key for other flows and environments', () => {
  it.each(named)('is refused by %s', async (_title, { contract, part, field }) => {
    const { status, body } = await call(contract, part, field, toText(field, FOREIGN))
    expect([status, body.message]).toEqual([403, expect.stringMatching(LIMITED)])
  })

  const mayName = named.filter(
    ([, { contract, part, field }]) =>
      part !== 'params' && field.kind !== 'policy' && /\{(flow_name|env_name)\}/.test(contract.path),
  )
  it.each(mayName)(
    'but a key for the own ones is admitted by %s',
    async (_title, { contract, part, field }) => {
      if (field.kind === 'flow id') return
      const { body } = await call(contract, part, field, toText(field, OWN))
      expect(String(body?.message)).not.toMatch(LIMITED)
    },
  )
})

describe('a key for one environment', () => {
  it.each<[string, (client: Client) => Promise<{ status: number }>]>([
    [
      'includes another',
      client => client.put(`/environments/${ORG}/group/join`, { physical_env_name: FOREIGN }),
    ],
    [
      'includes others by a change',
      client => client.patch(`/environments/${ORG}/group`, { included_environments: [OWN, FOREIGN] }),
    ],
    [
      'attaches a policy',
      client => client.post(`/environments/${ORG}/${OWN}/policies`, { policy_names: ['p'] }),
    ],
    [
      'detaches a policy',
      client => client.call('DELETE', `/environments/${ORG}/${OWN}/policies`, { policy_names: ['p'] }),
    ],
    ['sets policies', client => client.patch(`/environments/${ORG}/${OWN}`, { policies: ['p'] })],
  ])('never %s', async (_what, change) => {
    await app.admin.put(`/environments/${ORG}`, { name: 'group', type: 'logical' })
    await app.admin.put(`/policies/${ORG}`, { name: 'p', policy_yaml: 'artifacts: {}' })
    const keys = `/service-accounts/${ORG}/limited/api-keys`
    const { body } = await app.admin.post(keys, { description: 'x', environments: [OWN, 'group'] })
    const before = (await app.admin.get(`/environments/${ORG}`)).body
    expect((await change(app.makeClientWith(body.key))).status).toBe(403)
    expect((await app.admin.get(`/environments/${ORG}`)).body).toEqual(before)
    expect((await change(app.admin)).status).not.toBe(403)
    await app.admin.patch(`/environments/${ORG}/${OWN}`, { policies: [] })
  })

  it('includes its own, sets none and changes the rest', async () => {
    await app.admin.put(`/environments/${ORG}`, { name: 'mine', type: 'logical' })
    const keys = `/service-accounts/${ORG}/limited/api-keys`
    const { body } = await app.admin.post(keys, { description: 'x', environments: [OWN, 'mine'] })
    const client = app.makeClientWith(body.key)
    const path = `/environments/${ORG}/mine`
    expect((await client.put(`${path}/join`, { physical_env_name: OWN })).status).toBe(200)
    expect(
      (await client.patch(path, { description: 'x', policies: [], included_environments: [OWN] })).status,
    ).toBe(200)
  })
})
