// Operations that change credentials or permissions read the caller again in their own transaction, under a lock. So
// a key that is revoked, or an admin who is demoted, while such a request runs cannot undo it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { hashSecret } from '../src/lib/secrets.ts'
import { type Client, ORG, startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { countWaiting } from './locks.ts'
import { until } from './patience.ts'
import { addPerson } from './people.ts'
import { buildPathFor, prepareFor } from './prepare-operation.ts'
import { GROUP_SCHEMA, makeProvider, type Provider, USER_SCHEMA } from './scim.ts'
import { untilIdle } from './statement-log.ts'

interface Created {
  user: string
  group: string
}

/** Written by hand: every operation that changes credentials or permissions. */
const CHANGE_POWER = [
  // API keys
  'createPersonalApiKey',
  'revokePersonalApiKey',
  'rotatePersonalApiKey',
  'createServiceAccountApiKey',
  'revokeServiceAccountApiKey',
  'rotateServiceAccountApiKey',
  // Service accounts
  'createServiceAccount',
  'patchServiceAccount',
  'deleteServiceAccount',
  // SCIM tokens
  'createScimToken',
  'revokeScimToken',
  'adoptScimToken',
  // Badges
  'createBadge',
  'revokeBadge',
  // Trust rules
  'createTrustRule',
  'putTrustRule',
  'deleteTrustRule',
  // Organizations and their settings
  'createOrganization',
  'patchOrganization',
  'putExperimentalFeatures',
  'deleteOrganization',
  // Members and invitations
  'putMember',
  'removeMember',
  'sendInvitation',
  'resendInvitation',
  'withdrawInvitation',
  'acceptInvitation',
  // Mail domains
  'putMailDomain',
  'checkMailDomain',
  'deleteMailDomain',
  // Erasure cannot be undone
  'eraseLogBody',
  'eraseLogPerson',
  // Sessions
  'endSession',
  'endOtherSessions',
  // A person's own name and address: they determine the person's identity
  'setDisplayName',
  'setEmail',
  // Decisions that may need two people
  'reportOverride',
  'putAllowListEntry',
  'withdrawDecision',
]

/** Notifications are below their organization's path, but grant no permissions. */
const RESOURCES =
  /^\/(user\/(api-keys|sessions|invitations|settings\/(display-name|email))|service-accounts|scim-tokens|badge-tokens|trust-rules|organizations(?!\/\{org\}\/\w+_notifications)|members|invitations|mail-domains|decisions)\b/

const TABLES = [
  'users',
  'address_proofs',
  'personal_keys',
  'service_account_keys',
  'service_accounts',
  'scim_tokens',
  'badges',
  'trust_rules',
  'orgs',
  'memberships',
  'invitations',
  'mail_domains',
  'sessions',
  'decisions',
  'allow_list',
  'attestations',
  'events',
]

const REVOKE = "update personal_keys set revoked_at = now() where secret_hash = decode($1, 'hex')"
const RESTORE = "update personal_keys set revoked_at = null where secret_hash = decode($1, 'hex')"
const SET_ROLE = `update memberships set role = $1
  where (org_id, user_id) = (select org_id, user_id from orgs, users where orgs.name = 'acme' and users.name = $2)`

const named = CHANGE_POWER.map(id => [id, findContract(id)] as const)
const inAnOrg = named.filter(([, { path }]) => path.includes('{org}'))

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  // Another admin, so that ada is never the last one.
  await addPerson(app, 'amy', 'admin')
  // Stores that the key was used, once, because the clock stands still.
  await app.admin.get('/user/default-org')
  await untilIdle(app.db)
})
afterAll(() => app.stop())

function findContract(id: string): Contract {
  const found = operations.find(({ contract }) => contract.id === id)
  if (!found) throw new Error(`There is no operation ${id}`)
  return found.contract
}

/** When nothing is being stored, such as the first use of a key, which no request waits for. */
async function readTables(): Promise<unknown> {
  await untilIdle(app.db)
  const columns = TABLES.map(
    table => `(select md5(string_agg(t::text, '' order by t::text)) from ${table} t) as ${table}`,
  )
  return (await app.sql(`select ${columns.join(', ')}`))[0]
}

/** Sends the request when the change is made but not committed, and commits it when the request waits for it. */
async function callDuring(change: () => Promise<unknown>, call: () => Promise<TestResponse>) {
  await app.sql('begin')
  await change()
  let isAnswered = false
  const answering = call().finally(() => {
    isAnswered = true
  })
  await until(async () => isAnswered || (await countWaiting(app)) > 0)
  await app.sql('commit')
  return answering
}

async function callExample(contract: Contract, client: Client): Promise<TestResponse> {
  return client.call(contract.method, buildPathFor(contract, ORG, app), contract.example?.body)
}

async function prepare(contract: Contract): Promise<void> {
  await prepareFor(contract, app)
  await app.sql(`update orgs set settings = settings || '{"two_person_decisions":["allow","override"]}'
    where name = 'acme'`)
}

describe('the operations that change permissions', () => {
  it('are marked, and no others', () => {
    const marked = operations
      .filter(({ contract }) => contract.recheck_caller)
      .map(({ contract }) => contract.id)
    expect(marked.sort()).toEqual([...CHANGE_POWER].sort())
  })

  it('include every write of these resources', () => {
    const writes = operations
      .map(({ contract }) => contract)
      .filter(
        ({ method, path, audit }) => method !== 'GET' && audit !== 'none: computes' && RESOURCES.test(path),
      )
    expect(writes.map(({ id }) => id).filter(id => !CHANGE_POWER.includes(id))).toEqual([])
  })
})

describe.each(named)('%s', (_id, contract) => {
  it('returns 401 for a key that is revoked meanwhile, and stores nothing', async () => {
    await prepare(contract)
    const key = [hashSecret(app.admin.key ?? '')]
    const before = await readTables()
    const answer = await callDuring(
      () => app.sql(REVOKE, key),
      () => callExample(contract, app.admin),
    )
    await app.sql(RESTORE, key)
    expect([answer.status, answer.body]).toEqual([401, { message: 'The API key is not valid' }])
    expect(await readTables()).toEqual(before)
  })
})

describe.each(inAnOrg)('%s', (_id, contract) => {
  it('returns 403 to an admin who is demoted meanwhile, and stores nothing', async () => {
    await prepare(contract)
    const before = await readTables()
    const answer = await callDuring(
      () => app.sql(SET_ROLE, ['reader', 'ada']),
      () => callExample(contract, app.admin),
    )
    await app.sql(SET_ROLE, ['admin', 'ada'])
    expect(answer.status).toBe(403)
    expect(await readTables()).toEqual(before)
  })
})

describe('provisioning by SCIM', () => {
  const SCIM_WRITES: [string, (provider: Provider, ids: Created) => Promise<TestResponse>][] = [
    [
      'POST /Users',
      provider => provider.post('/Users', { schemas: [USER_SCHEMA], userName: 'new@acme.example' }),
    ],
    [
      'PUT /Users/{id}',
      (provider, { user }) =>
        provider.put(`/Users/${user}`, { schemas: [USER_SCHEMA], userName: 'renamed@acme.example' }),
    ],
    [
      'PATCH /Users/{id}',
      (provider, { user }) =>
        provider.patch(`/Users/${user}`, { op: 'replace', path: 'active', value: false }),
    ],
    ['DELETE /Users/{id}', (provider, { user }) => provider.delete(`/Users/${user}`)],
    ['POST /Groups', provider => provider.post('/Groups', { schemas: [GROUP_SCHEMA], displayName: 'new' })],
    [
      'PUT /Groups/{id}',
      (provider, { group }) =>
        provider.put(`/Groups/${group}`, { schemas: [GROUP_SCHEMA], displayName: 'renamed' }),
    ],
    [
      'PATCH /Groups/{id}',
      (provider, { group, user }) =>
        provider.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: user }] }),
    ],
    ['DELETE /Groups/{id}', (provider, { group }) => provider.delete(`/Groups/${group}`)],
  ]
  let provider: Provider
  let created: Created
  beforeAll(async () => {
    provider = await makeProvider(app, app.admin, ORG)
    // The first use of the token is stored, once, because the clock stands still.
    const { id: user } = await provider.user('sam@acme.example')
    created = { user, group: (await provider.group('staff')).id }
  })

  it.each(SCIM_WRITES)('returns 401 to %s with a token that is revoked meanwhile', async (_route, write) => {
    const hash = [hashSecret(provider.token)]
    const readPeople = async () => [await readTables(), await app.sql('select * from users order by user_id')]
    const before = await readPeople()
    const answer = await callDuring(
      () => app.sql("update scim_tokens set revoked_at = now() where secret_hash = decode($1, 'hex')", hash),
      () => write(provider, created),
    )
    await app.sql("update scim_tokens set revoked_at = null where secret_hash = decode($1, 'hex')", hash)
    expect([answer.status, answer.body.detail]).toEqual([
      401,
      'A SCIM token of this organization is required',
    ])
    expect(await readPeople()).toEqual(before)
  })
})
