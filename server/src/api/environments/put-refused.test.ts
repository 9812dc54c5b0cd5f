// PUT /environments/{org}: rejected requests, and what they store.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const NAME_PATTERN = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`
const TYPES = "'K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'cloud-run' or 'logical'"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const put = (body: unknown) => app.snapshotter.put('/environments/acme', body)
const archive = (name: string) => app.member.put(`/environments/acme/${name}/archive`, null)

async function readStored() {
  return [
    await app.sql('select * from environments order by environment_id'),
    await app.sql('select * from former_environment_names order by name'),
    await app.sql('select * from environment_members order by environment_id, member_id'),
    (await app.readEvents()).length,
  ]
}

describe('400', () => {
  const refused: [string, unknown, Record<string, string>][] = [
    [
      'an illegal name',
      { name: 'foo bar', type: 'K8S', description: '' },
      { name: `String should match pattern '${NAME_PATTERN}' [input: foo bar]` },
    ],
    [
      'a name that a flow may have',
      { name: 'foo~bar', type: 'K8S' },
      { name: `String should match pattern '${NAME_PATTERN}' [input: foo~bar]` },
    ],
    [
      'a name of 256 characters',
      { name: 'n'.repeat(256), type: 'K8S' },
      { name: `String should have at most 255 characters [input: ${'n'.repeat(100)}…]` },
    ],
    ['no name', { type: 'K8S' }, { name: 'Field required [input: None]' }],
    ['no type', { name: 'bad' }, { type: 'Field required [input: None]' }],
    [
      'a type in small letters',
      { name: 'bad', type: 'k8s' },
      { type: `Input should be ${TYPES} [input: k8s]` },
    ],
    [
      'an unknown type',
      { name: 'bad', type: 'unknown' },
      { type: `Input should be ${TYPES} [input: unknown]` },
    ],
    [
      'a description that is null',
      { name: 'bad', type: 'K8S', description: null },
      { description: 'Input should be a valid string [input: None]' },
    ],
    [
      'switches that are text',
      { name: 'bad', type: 'K8S', include_scaling: 'yes', require_provenance: 1 },
      {
        include_scaling: 'Input should be a valid boolean [input: yes]',
        require_provenance: 'Input should be a valid boolean [input: 1]',
      },
    ],
    [
      'members that are text',
      { name: 'bad', type: 'logical', included_environments: 'cluster', policies: 'strict' },
      {
        included_environments: 'Input should be a valid list [input: cluster]',
        policies: 'Input should be a valid list [input: strict]',
      },
    ],
    [
      'a member that is a number',
      { name: 'bad', type: 'logical', included_environments: ['cluster', 7] },
      { 'included_environments[1]': 'Input should be a valid string [input: 7]' },
    ],
    [
      'members of a physical environment',
      { name: 'bad', type: 'K8S', included_environments: ['cluster'] },
      { included_environments: "Only a logical environment includes others; 'bad' is of type 'K8S'" },
    ],
    [
      'policies of a logical environment',
      { name: 'bad', type: 'logical', policies: ['strict'] },
      {
        policies: "The logical environment 'bad' is evaluated by the policies of its members",
      },
    ],
    [
      'a logical member',
      { name: 'bad', type: 'logical', included_environments: ['cluster', 'group'] },
      { 'included_environments[1]': "The environment 'group' is itself logical" },
    ],
    [
      'itself as a member',
      { name: 'group', type: 'logical', included_environments: ['group'] },
      { 'included_environments[0]': "The environment 'group' is itself logical" },
    ],
    [
      'another type',
      { name: 'cluster', type: 'ECS', description: 'other' },
      { type: "The environment 'cluster' is of type 'K8S' and cannot become 'ECS'" },
    ],
    [
      'an unknown key',
      { name: 'bad', type: 'K8S', extra: 1 },
      { extra: 'Extra inputs are not permitted [input: 1]' },
    ],
    ['null', null, { body: 'Input should be a valid dictionary [input: None]' }],
    ['nothing', undefined, { body: 'Field required [input: None]' }],
  ]
  it.each(refused)('refuses %s and stores nothing', async (_, sent, errors) => {
    await put({ name: 'cluster', type: 'K8S' })
    await put({ name: 'group', type: 'logical' })
    const before = await readStored()
    const { status, body } = await put(sent)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors })
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it('refuses a reader and stores nothing', async () => {
    const before = await readStored()
    const { status, body } = await app.reader.put('/environments/acme', { name: 'not-mine', type: 'K8S' })
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await readStored()).toEqual(before)
  })

  it('does not let a snapshotter choose the members of a logical environment', async () => {
    for (const name of ['shown', 'hidden']) await put({ name, type: 'K8S' })
    await put({ name: 'view', type: 'logical', included_environments: ['shown', 'hidden'] })
    const before = await readStored()
    expect((await put({ name: 'view', type: 'logical', included_environments: ['shown'] })).status).toBe(403)
    expect(await readStored()).toEqual(before)
  })
})

describe('404', () => {
  it.each([
    ['does not exist', 'nowhere'],
    ['has been archived', 'past'],
  ])('names a member that %s and stores nothing', async (what, member) => {
    await put({ name: 'past', type: 'K8S' })
    await archive('past')
    const before = await readStored()
    const { status, body } = await put({ name: 'lost', type: 'logical', included_environments: [member] })
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Environment named '${member}' ${what} for organization 'acme'` })
    expect(await readStored()).toEqual(before)
  })

  it('does not combine an environment of another org', async () => {
    await app.outsider.put('/environments/other-corp', { name: 'theirs', type: 'K8S' })
    const { status } = await put({ name: 'lost', type: 'logical', included_environments: ['theirs'] })
    expect(status).toBe(404)
  })
})

describe('409', () => {
  it('asks to try again if a concurrent rename releases the name', async () => {
    await put({ name: 'moving', type: 'K8S' })
    await app.owner.query('begin')
    await app.owner.query(`select from environments where name = 'moving' for update`)
    const waiting = put({ name: 'moving', type: 'K8S', description: 'late' })
    const waits = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    // By default, statistics do not change within a transaction.
    await app.owner.query('set local stats_fetch_consistency = none')
    await expect.poll(async () => (await app.owner.query(waits)).rows[0].n, { interval: 5 }).toBe(1)
    await app.owner.query(`update environments set name = 'moved' where name = 'moving'`)
    await app.owner.query('commit')
    const { status, body } = await waiting
    expect(status).toBe(409)
    expect(body).toEqual({ message: "The environment 'moving' is being renamed; try again" })
  })
})
