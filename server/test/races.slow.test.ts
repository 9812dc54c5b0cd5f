// Concurrent requests end as if they had come one after another. Identical requests all succeed and create one row,
// and exactly one of them returns 201; different requests to one row lose nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { buildPolicyRequiring } from './environments.ts'
import {
  type Client,
  makeFile,
  ORG,
  OTHER_ORG,
  startTestApp,
  type TestApp,
  type TestResponse,
} from './harness.ts'
import { stopInserts, untilWaiting } from './locks.ts'
import { tokenFor } from './people.ts'

const CALLERS = 32
const NAMES = 25
const TAGGED = 10
const RENAMED = 6

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const listNames = (kind: string, many: number) => Array.from({ length: many }, (_, i) => `${kind}-${i}`)

/** Sends a request from all callers at once, half of them with another key. */
function sendTogether(
  send: (client: Client, caller: number) => Promise<TestResponse>,
): Promise<TestResponse[]> {
  const callers = Array.from({ length: CALLERS }, (_, i) => i)
  return Promise.all(callers.map(i => send(i % 2 === 0 ? app.member : app.admin, i)))
}

function countStatuses(answers: TestResponse[]): Record<number, number> {
  const counted: Record<number, number> = {}
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1
  return counted
}

const ONE_CREATED = { 200: CALLERS - 1, 201: 1 }

describe('identical requests', () => {
  it('create one flow each, and return one 201', async () => {
    const wanted = listNames('flow', NAMES)
    for (const name of wanted) {
      const answers = await sendTogether(client => client.put('/flows/acme', { name, description: 'raced' }))
      expect(countStatuses(answers), name).toEqual(ONE_CREATED)
    }
    const rows = await app.sql(
      "select name from flows where name like 'flow-%' group by name having count(*) = 1",
    )
    expect(rows).toHaveLength(NAMES)
    expect(await app.readEvents('flow_created')).toHaveLength(NAMES)
    // The other 31 requests changed nothing, so they created no versions.
    expect(await app.readEvents('flow_updated')).toEqual([])
  })

  it('create one trail each, and return one 201', async () => {
    await app.member.put('/flows/acme', { name: 'trails', description: '' })
    for (const name of listNames('trail', NAMES)) {
      const answers = await sendTogether(client =>
        client.put('/trails/acme/trails', { name, description: 'raced' }),
      )
      expect(countStatuses(answers), name).toEqual(ONE_CREATED)
    }
    expect(await app.sql('select name, count(*) from trails group by name having count(*) = 1')).toHaveLength(
      NAMES,
    )
    expect(await app.readEvents('trail_reported')).toHaveLength(NAMES)
    const unexplained = await app.sql(`select name from trails t where 1 <> (
      select count(*) from events e where e.trail_id = t.trail_id and e.kind = 'trail_reported')`)
    expect(unexplained).toEqual([])
  })

  it('create one flow and one template each when they send a file', async () => {
    const before = await countRows('templates')
    for (const name of listNames('templated', NAMES)) {
      const template_file = makeFile(
        `version: 1\ntrail:\n  attestations:\n    - name: ${name}\n      type: generic\n`,
      )
      const data_json = JSON.stringify({ name })
      const answers = await sendTogether(client =>
        client.form('PUT', '/flows/acme/template_file', { data_json, template_file }),
      )
      expect(countStatuses(answers), name).toEqual(ONE_CREATED)
    }
    expect((await countRows('templates')) - before).toBe(NAMES)
    const rows = await app.sql("select name from flows where name like 'templated-%'")
    expect(new Set(rows.map(row => row.name)).size).toBe(NAMES)
    expect(rows).toHaveLength(NAMES)
  })
})

describe('two requests that create the same person', () => {
  const EMAIL = 'ines@example.com'

  it('both succeed, although neither sees what the other is creating', async () => {
    const tokens: string[] = []
    for (const [client, org] of [
      [app.admin, ORG],
      [app.outsider, OTHER_ORG],
    ] as const) {
      expect((await client.post(`/invitations/${org}`, { email: EMAIL, role: 'reader' })).status).toBe(201)
      tokens.push(await tokenFor(app, EMAIL))
    }
    const resume = await stopInserts(app, { table: 'users', at: 'commit' })
    const accepting = tokens.map(token => acceptInvitation(makeBrowser(app.server), token))
    // One has created the user and waits to commit. The other found no user either, and waits for the first.
    await untilWaiting(app, accepting.length)
    await resume()
    expect((await Promise.all(accepting)).map(({ status }) => status)).toEqual([303, 303])
    const members = await app.sql(
      `select u.name, o.name as org from users u join memberships m on m.user_id = u.user_id
       join orgs o on o.org_id = m.org_id where u.email_key = $1 and o.kind = 'shared' order by o.name`,
      [EMAIL],
    )
    expect(members).toEqual([ORG, OTHER_ORG].map(org => ({ name: 'ines', org })))
  })
})

describe('a read', () => {
  it('sees every write acknowledged before it, even after identical reads shared a response', async () => {
    const put = (name: string, description: string) =>
      app.member.put(`/policies/${ORG}/${name}`, { description, policy_yaml: buildPolicyRequiring() })
    const read = (name: string) => app.reader.get(`/policies/${ORG}/${name}`)
    for (const name of ['shared', 'other']) await put(name, 'before')
    await read('shared')
    await app.owner.query('begin')
    await app.owner.query('lock table policies')
    const readers = [read('shared')]
    await untilWaiting(app, 1)
    // These join the first. The last one reads another policy: when it waits, those before it have arrived.
    readers.push(...Array.from({ length: 8 }, () => read('shared')), read('other'))
    await untilWaiting(app, 2)
    await app.owner.query('commit')
    for (const { body } of await Promise.all(readers)) expect(body.description).toBe('before')
    expect((await put('shared', 'after')).status).toBe(200)
    expect((await read('shared')).body.description).toBe('after')
  })
})

describe('different requests to one row', () => {
  it('lose no tag', async () => {
    const expected = Object.fromEntries(Array.from({ length: CALLERS }, (_, i) => [`by-${i}`, String(i)]))
    for (const name of listNames('tagged', TAGGED)) {
      await app.member.put('/flows/acme', { name, description: '' })
      const answers = await sendTogether((client, i) =>
        client.patch(`/tags/acme/flow/${name}`, { set_tags: { [`by-${i}`]: String(i) } }),
      )
      expect(countStatuses(answers)).toEqual({ 200: CALLERS })
      expect((await app.member.get(`/flows/acme/${name}`)).body.tags).toEqual(expected)
    }
    expect(await app.readEvents('flow_tagged')).toHaveLength(TAGGED * CALLERS)
  })

  it('never return 500 while the flow is being renamed', async () => {
    const seen: number[] = []
    for (const name of listNames('moving', RENAMED)) {
      await app.member.put('/flows/acme', { name, description: '' })
      const answers = await sendTogether((client, i) =>
        i % 8 === 0
          ? app.admin.put(`/flows/acme/${name}/rename`, { new_name: `${name}-moved-${i}` })
          : client.put('/flows/acme', { name, description: `by ${i}` }),
      )
      seen.push(...answers.map(({ status }) => status))
    }
    expect([...new Set(seen)].filter(status => ![200, 201, 409, 503].includes(status))).toEqual([])
    expect(seen.filter(status => status === 201).length).toBeGreaterThan(0)
  })
})

async function countRows(table: 'templates'): Promise<number> {
  return Number((await app.sql(`select count(*) from ${table}`))[0]?.count)
}
