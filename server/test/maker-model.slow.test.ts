// Random sequences of joining, promoting, demoting, leaving, minting, rotating, giving away, adopting and waiting,
// compared after every step with a small pure model (maker-model.ts): who may do what after which departure.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import {
  doesTokenWork,
  leave,
  mayMint,
  RANKED,
  type Rank,
  roleOfKey,
  roleOfPerson,
  type World,
} from './maker-model.ts'
import { addPerson } from './people.ts'
import { chooseRepetitions } from './repetitions.ts'
import { makeProviderWith, type Provider } from './scim.ts'

/** In parts, because no single test should take half an hour. */
const PARTS = Array.from({ length: chooseRepetitions(1, 8) }, (_, part) => part)
const SEQUENCES = chooseRepetitions(12, 250)
/** The same sample in every run. */
const SEED = 44
const STEPS = 14
const PEOPLE = 3
const DAY_MS = 86_400_000
const ACCOUNTS = `/service-accounts/${ORG}`
const TOKENS = `/scim-tokens/${ORG}`

const person = fc.nat(PEOPLE - 1)
const rank = fc.constantFrom(...RANKED)
const some = fc.nat(3)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('give a role' as const), person, rank }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('leave' as const), person, by_self: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('make an account' as const), person, rank }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('mint a key' as const),
      person,
      some,
      days: fc.constantFrom(0, 3, 30),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('rotate a key' as const), person, some }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('mint a token' as const),
      person,
      by_account: fc.boolean(),
      some,
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('adopt a token' as const), person, some }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('give an account' as const),
      some,
      person: fc.option(person, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('wait' as const), days: fc.constantFrom(1, 4, 8) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

let app: TestApp
let clients: Client[]
let runs = 0
beforeAll(async () => {
  app = await startTestApp()
  clients = []
  for (let i = 0; i < PEOPLE; i++) clients.push(await addPerson(app, `person-${i}`))
  await app.admin.patch(`/organizations/${ORG}`, { settings: { service_account_creators: 'snapshotter' } })
})
afterAll(() => app.stop())

/** The service beside its model. */
class Run {
  readonly number = runs++
  readonly world: World = { day: 0, people: Array(PEOPLE).fill(undefined), accounts: [], tokens: [] }
  private readonly keys: { client: Client; id: string }[][] = []
  private readonly tokens: { id: string; scim: Provider }[] = []

  async start(): Promise<void> {
    for (let i = 0; i < PEOPLE; i++) await app.admin.delete(`/members/${ORG}/person-${i}`)
    for (const { id } of (await app.admin.get(TOKENS)).body) await app.admin.delete(`${TOKENS}/${id}`)
  }

  private name(account: number): string {
    return `robot-${this.number}-${account}`
  }

  async do(step: Step): Promise<void> {
    const { world } = this
    if (step.op === 'give a role') return this.giveRole(step.person, step.rank)
    if (step.op === 'leave') return this.leave(step.person, step.by_self)
    if (step.op === 'make an account') return this.makeAccount(step.person, step.rank)
    if (step.op === 'mint a token') return this.mintToken(step)
    if (step.op === 'adopt a token') return this.adoptToken(step)
    if (step.op === 'wait') {
      world.day += step.days
      app.clock.advance(step.days * DAY_MS)
      return
    }
    if (world.accounts.length === 0) return
    const account = step.some % world.accounts.length
    if (step.op === 'mint a key') return this.mintKey(step.person, account, step.days)
    if (step.op === 'rotate a key') return this.rotateKey(step.person, account)
    return this.giveAccount(account, step.person)
  }

  /** Whoever is no member joins as the operator's file says. */
  private async giveRole(person: number, rank: Rank): Promise<void> {
    if (this.world.people[person] === undefined) await addMember(person, rank)
    else expect((await app.admin.put(`/members/${ORG}/person-${person}`, { role: rank })).status).toBe(200)
    this.world.people[person] = rank
  }

  private async leave(person: number, by_self: boolean): Promise<void> {
    const isMember = this.world.people[person] !== undefined
    const by = by_self ? clients[person] : app.admin
    const answer = await by?.delete(`/members/${ORG}/person-${person}`)
    expect(answer?.status === 200).toBe(isMember)
    if (isMember) leave(this.world, person)
  }

  private async makeAccount(person: number, rank: Rank): Promise<void> {
    const { world } = this
    const answer = await clients[person]?.post(ACCOUNTS, {
      name: this.name(world.accounts.length),
      privilege: rank,
    })
    const role = roleOfPerson(world, person)
    const may = role !== undefined && role !== 'reader' && RANKED.indexOf(rank) <= RANKED.indexOf(role)
    expect(['account', answer?.status === 201]).toEqual(['account', may])
    if (!may) return
    world.accounts.push({ owner: person, rank, stops_on: undefined, keys: [] })
    this.keys.push([])
  }

  private async mintKey(person: number, account: number, days: number): Promise<void> {
    const path = `${ACCOUNTS}/${this.name(account)}/api-keys`
    const expires_at = days === 0 ? 0 : Math.floor(app.clock.now().getTime() / 1000) + days * 86_400
    const answer = await clients[person]?.post(path, { description: 'x', expires_at })
    expect(['key', answer?.status === 201]).toEqual(['key', mayMint(this.world, person, account)])
    if (answer?.status !== 201) return
    const expires_on = days === 0 ? undefined : this.world.day + days
    this.world.accounts[account]?.keys.push({ expires_on })
    this.keys[account]?.push({ client: app.makeClientWith(answer.body.key), id: answer.body.id })
  }

  /** The newest key of the account that has not expired; the old one goes on for an hour, which is less than a day. */
  private async rotateKey(person: number, account: number): Promise<void> {
    const { world } = this
    const known = world.accounts[account]?.keys ?? []
    const index = known.length - 1
    const old = this.keys[account]?.[index]
    if (!old || (known[index]?.expires_on ?? world.day + 1) <= world.day) return
    const path = `${ACCOUNTS}/${this.name(account)}/api-keys/${old.id}/rotate`
    const answer = await clients[person]?.post(path, { grace_period_hours: 1 })
    expect(['rotation', answer?.status === 201]).toEqual(['rotation', mayMint(world, person, account)])
    if (answer?.status !== 201) return
    known[index] = { expires_on: known[index]?.expires_on }
    this.keys[account]?.splice(index, 1, { client: app.makeClientWith(answer.body.key), id: answer.body.id })
  }

  private async mintToken({
    person,
    by_account,
    some,
  }: {
    person: number
    by_account: boolean
    some: number
  }) {
    const { world } = this
    if (this.tokens.length >= 9) return
    const account = world.accounts.length === 0 ? 0 : some % world.accounts.length
    const key = (this.keys[account]?.length ?? 0) - 1
    if (by_account && key < 0) return
    const client = by_account ? this.keys[account]?.[key]?.client : clients[person]
    const role = by_account ? roleOfKey(world, account, key) : roleOfPerson(world, person)
    const answer = await client?.post(TOKENS, { description: 'x', expires_at: 0 })
    expect(['token', answer?.status === 201]).toEqual(['token', role === 'admin'])
    if (answer?.status !== 201) return
    // A key that expires sooner bounds the token; such tokens are not followed further.
    if (answer.body.expires_at !== 0) return void (await app.admin.delete(`${TOKENS}/${answer.body.id}`))
    world.tokens.push({ by: by_account ? { account } : { person } })
    this.tokens.push({ id: answer.body.id, scim: makeProviderWith(app, answer.body.token, ORG) })
  }

  private async adoptToken({ person, some }: { person: number; some: number }): Promise<void> {
    if (this.tokens.length === 0) return
    const token = some % this.tokens.length
    const answer = await clients[person]?.put(`${TOKENS}/${this.tokens[token]?.id}/adopt`, {})
    const may = roleOfPerson(this.world, person) === 'admin'
    expect(['adoption', answer?.status === 200]).toEqual(['adoption', may])
    if (may) this.world.tokens[token] = { by: { person } }
  }

  /** Admins give accounts to members, or to the organization. */
  private async giveAccount(account: number, person: number | undefined): Promise<void> {
    const known = this.world.accounts[account]
    const owner = person === undefined ? null : `person-${person}`
    const answer = await app.admin.patch(`${ACCOUNTS}/${this.name(account)}`, { owner })
    const may = person === undefined || this.world.people[person] !== undefined
    expect(['gift', answer.status === 200]).toEqual(['gift', may])
    if (known && may) Object.assign(known, { owner: person, stops_on: undefined })
  }

  async check(): Promise<void> {
    const { world } = this
    const keys = this.keys.flatMap((all, i) =>
      all.map(async ({ client }, k) => {
        const expected = roleOfKey(world, i, k)
        return [this.name(i), k, expected ?? 'none', await findRank(client, expected)]
      }),
    )
    const tokens = this.tokens.map(async ({ scim }, i) => {
      const works = (await scim.get('/Users?count=0')).status === 200
      return ['token', i, doesTokenWork(world, i), works]
    })
    const people = clients.map(async (client, i) => {
      const expected = roleOfPerson(world, i)
      return ['person', i, expected ?? 'none', await findRank(client, expected)]
    })
    for (const [what, number, expected, found] of await Promise.all([...keys, ...tokens, ...people])) {
      expect([what, number, found]).toEqual([what, number, expected])
    }
  }
}

async function addMember(person: number, rank: Rank): Promise<void> {
  await app.sql(
    `insert into memberships (org_id, user_id, role, created_at)
     select o.org_id, u.user_id, $2, now() from orgs o, users u where o.name = $3 and u.name = $1`,
    [`person-${person}`, rank, ORG],
  )
  // SQL by hand tells the cache of callers only after a moment; seconds later it has forgotten by itself.
  app.clock.advance(5_000)
}

/** Requests that change nothing, by the role that they need. Something that does not exist is 404 if the role suffices. */
const PROBES: Readonly<Record<Rank, (client: Client) => Promise<boolean>>> = {
  reader: async client => (await client.get(`/organizations/${ORG}`)).status === 200,
  snapshotter: async client => (await client.get(`${ACCOUNTS}/nobody`)).status === 404,
  member: async client => (await client.put(`/flows/${ORG}/no-such-flow/archive`)).status === 404,
  admin: async client => (await client.get(`/mail-domains/${ORG}`)).status === 200,
}

/** The client's role: the expected one if it suffices for that and for no more, or else what the probes say. */
async function findRank(client: Client, expected: Rank | undefined): Promise<string> {
  const next = expected === undefined ? 'reader' : RANKED[RANKED.indexOf(expected) + 1]
  const [suffices, exceeds] = await Promise.all([
    expected === undefined || PROBES[expected](client),
    next !== undefined && PROBES[next](client),
  ])
  if (!suffices) return `less than ${expected}`
  return exceeds ? `more than ${expected ?? 'none'}` : (expected ?? 'none')
}

it.each(PARTS)('nobody may do more or less than the model says, after every step (part %i)', async part => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' }), async steps => {
      const run = new Run()
      await run.start()
      // By chance, most sequences would have an admin only late.
      for (const one of [{ op: 'give a role', person: 0, rank: 'admin' } as const, ...steps]) {
        await run.do(one)
        await run.check()
      }
    }),
    { numRuns: SEQUENCES, seed: SEED + part, endOnFailure: true },
  )
})
