// Requests with an `Idempotency-Key`: for every POST, a retry gets the first response and stores nothing, even when
// many retry at the same time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { addDelivery } from './deliveries.ts'
import { type Client, makeFile, startTestApp, type TestApp } from './harness.ts'

const FINGERPRINT = 'a'.repeat(64)
const OTHER_REQUEST = {
  message: 'This Idempotency-Key was already used for a different request. Use a new key for each request.',
}
const LINKS = { build_url: 'https://ci.example.com', commit_url: 'https://git.example.com' }

const POSTS: [string, string, Record<string, unknown>, Record<string, unknown>][] = [
  [
    'an artifact on a trail',
    '/artifacts/acme/f',
    { fingerprint: FINGERPRINT, filename: 'x', trail_name: 't', template_reference_name: 'api', ...LINKS },
    { filename: 'y' },
  ],
  [
    'an artifact without a trail',
    '/artifacts/acme/f',
    { fingerprint: FINGERPRINT, filename: 'x', ...LINKS },
    { filename: 'y' },
  ],
  [
    'an attestation',
    '/attestations/acme/f/trail/t/generic',
    { attestation_name: 'a', is_compliant: true },
    { is_compliant: false },
  ],
  [
    'a custom type',
    '/custom-attestation-types/acme',
    { name: 'c', description: 'one' },
    { description: 'two' },
  ],
  [
    'policies of an environment',
    '/environments/acme/e/policies',
    { policy_names: ['one'] },
    { policy_names: ['two'] },
  ],
  [
    'a control',
    '/controls/acme',
    { identifier: 'CTRL-1', name: 'Two people look' },
    { identifier: 'CTRL-2' },
  ],
  ['a service account', '/service-accounts/acme', { name: 'robot' }, { name: 'another-robot' }],
  [
    'an approval',
    '/approvals/acme/f',
    { artifact_fingerprint: FINGERPRINT, description: '', src_commit_list: [], approvals: [] },
    { description: 'another' },
  ],
  [
    'deliveries of a time',
    '/notification-deliveries/acme/replay',
    { from: 1_772_496_000, to: 1_772_582_400 },
    { status: 'all' },
  ],
]
/** The body is valid at both addresses, so that only the address distinguishes the requests. */
const ELSEWHERE: [string, string, string, Record<string, unknown>][] = [
  [
    'an artifact of another flow',
    '/artifacts/acme/f',
    '/artifacts/acme/g',
    { fingerprint: FINGERPRINT, filename: 'x', trail_name: 't', template_reference_name: 'api', ...LINKS },
  ],
  [
    'an artifact of another flow, without a trail',
    '/artifacts/acme/f',
    '/artifacts/acme/g',
    { fingerprint: FINGERPRINT, filename: 'x', ...LINKS },
  ],
  [
    'an attestation on another trail',
    '/attestations/acme/f/trail/t/generic',
    '/attestations/acme/f/trail/u/generic',
    { attestation_name: 'a', is_compliant: true },
  ],
  [
    'policies of another environment',
    '/environments/acme/e/policies',
    '/environments/acme/d/policies',
    { policy_names: ['one'] },
  ],
  [
    'an approval in another flow',
    '/approvals/acme/f',
    '/approvals/acme/g',
    { artifact_fingerprint: FINGERPRINT, description: '', src_commit_list: [], approvals: [] },
  ],
  [
    'what another operation makes',
    '/custom-attestation-types/acme',
    '/service-accounts/acme',
    { name: 'either', description: 'of both' },
  ],
]
/**
 * The caller of `exchangeToken` is anonymous, a CI token works only once anyway, and only the first response may show
 * the key. Erased data cannot be erased again: a second request gets the first erasure (src/api/log/erase.test.ts).
 */
const ONCE_BY_ITSELF = new Set(['exchangeToken', 'eraseLogBody', 'eraseLogPerson'])
/** These create nothing. */
const CHANGES = new Set([
  '/environments/acme/e/policies',
  '/environments/acme/d/policies',
  '/notification-deliveries/acme/replay',
])
/** These need an admin. */
const FOR_ADMINS = new Set(['/controls/acme'])

let app: TestApp
let admin_account: Client
beforeAll(async () => {
  app = await startTestApp()
  await app.admin.post('/service-accounts/acme', { name: 'admin', privilege: 'admin' })
  const made = await app.admin.post('/service-accounts/acme/admin/api-keys', { description: 'x' })
  admin_account = app.makeClientWith(made.body.key)
  for (const name of ['f', 'g']) {
    await app.member.put('/flows/acme', { name, description: '' })
    await app.member.post(`/artifacts/acme/${name}`, { fingerprint: FINGERPRINT, filename: 'x', ...LINKS })
  }
  for (const name of ['t', 'u']) await app.member.put('/trails/acme/f', { name })
  for (const name of ['e', 'd']) await app.member.put('/environments/acme', { name, type: 'K8S' })
  await addDelivery(app, { to: 'ada@example.com', outcome: 'failed' })
  for (const name of ['one', 'two']) {
    await app.member.put(`/policies/acme/${name}`, { policy_yaml: '_schema: https://waybill.example/v1\n' })
  }
})
afterAll(() => app.stop())

const post = (key: string, path: string, body: unknown, client?: Client) =>
  (client ?? (FOR_ADMINS.has(path) ? admin_account : app.member)).call('POST', path, body, {
    'idempotency-key': key,
  })

const countStored = () =>
  app.sql(`
  select (select count(*) from artifacts) as artifacts, (select count(*) from attestations) as attestations,
    (select count(*) from events) as events, (select count(*) from custom_attestation_type_versions) as versions,
    (select count(*) from control_versions) as control_versions`)

describe.each(POSTS)('%s', (what, path, body, other) => {
  const name = what.replaceAll(' ', '-')
  it('is stored once and gets the same response', async () => {
    const first = await post(name, path, body)
    const before = await countStored()
    const retries = await Promise.all(Array.from({ length: 8 }, () => post(name, path, body)))
    for (const retry of retries) expect([retry.status, retry.text]).toEqual([first.status, first.text])
    expect(first.status).toBe(CHANGES.has(path) ? 200 : 201)
    expect(await countStored()).toEqual(before)
  })

  it('is rejected under the key of another request, and the same key of another caller is a different key', async () => {
    const refused = await post(name, path, { ...body, ...other })
    expect(refused.status).toBe(422)
    expect(refused.body).toEqual(OTHER_REQUEST)
    expect((await post(name, path, { ...body, ...other }, app.admin)).status).toBe(
      CHANGES.has(path) ? 200 : 201,
    )
  })
})

describe.each(ELSEWHERE)('%s', (what, path, elsewhere, body) => {
  it('is another request, whatever its body', async () => {
    const name = what.replaceAll(/\W/g, '-')
    const findSuccessStatus = (address: string) => (CHANGES.has(address) ? 200 : 201)
    expect((await post(name, path, body, app.admin)).status).toBe(findSuccessStatus(path))
    const before = await countStored()
    const refused = await post(name, elsewhere, body, app.admin)
    expect([refused.status, refused.body]).toEqual([422, OTHER_REQUEST])
    expect(await countStored()).toEqual(before)
    expect((await post(`${name}-there`, elsewhere, body, app.admin)).status).toBe(
      findSuccessStatus(elsewhere),
    )
    expect(await countStored()).not.toEqual(before)
  })
})

describe('a file', () => {
  const sendUnder = (key: string, path: string, data: object, files: Record<string, Blob>) =>
    app.member.form('POST', path, { data_json: JSON.stringify(data), ...files }, { 'idempotency-key': key })

  it.each([
    [
      'attached to an attestation',
      '/attestations/acme/f/trail/t/generic',
      { attestation_name: 'filed', is_compliant: true },
      'attachment_file',
    ],
    ['with the schema of a type', '/custom-attestation-types/acme', { name: 'filed' }, 'type_schema'],
  ])('%s is part of the request', async (what, path, data, part) => {
    const key = what.replaceAll(' ', '-')
    const first = await sendUnder(key, path, data, { [part]: makeFile('{"type":"object"}') })
    expect(first.status).toBe(201)
    const before = await countStored()
    const again = await sendUnder(key, path, data, { [part]: makeFile('{"type":"object"}') })
    expect([again.status, again.text]).toEqual([201, first.text])
    for (const other of [{ [part]: makeFile('{"type":"array"}') }, {}]) {
      const refused = await sendUnder(key, path, data, other)
      expect([refused.status, refused.body]).toEqual([422, OTHER_REQUEST])
    }
    expect(await countStored()).toEqual(before)
  })
})

it('a key of a rejected request can be used again', async () => {
  const path = '/attestations/acme/f/trail/later/generic'
  const body = { attestation_name: 'a', is_compliant: true }
  expect((await post('again', path, body)).status).toBe(404)
  await app.member.put('/trails/acme/f', { name: 'later' })
  expect((await post('again', path, body)).status).toBe(201)
})

it('an empty or too long key is rejected', async () => {
  for (const key of ['', 'x'.repeat(256), 'a b']) {
    expect((await post(key, '/custom-attestation-types/acme', { name: 'd' })).status).toBe(400)
  }
})

it('covers every POST', () => {
  // A request that stores nothing can be repeated anyway.
  const stores = ({ audit, id }: Contract) => audit !== 'none: computes' && !ONCE_BY_ITSELF.has(id)
  const posts = operations.filter(({ contract }) => contract.method === 'POST' && stores(contract))
  const named = posts.filter(({ contract }) => contract.fails.includes(422))
  expect(named.map(({ contract }) => contract.id)).toEqual(posts.map(({ contract }) => contract.id))
})
