// Random sequences of actions by people, organizations, directories and an identity provider, different in every run.
// The attacker has an organization, a directory and a mail domain, and lies about everything. After every step:
// nobody has another person's session, nobody is in an organization that they did not agree to join, and nobody
// changed anything that belongs to another person.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { BASE_URL, ORG, OTHER_ORG, startTestApp, type TestApp } from './harness.ts'
import { CLIENT, type FaultyProvider, startFaultyProvider } from './identity-providers.ts'
import { listQueuedMails } from './people.ts'
import { chooseRepetitions } from './repetitions.ts'
import { makeProvider, type Provider, proveDomains } from './scim.ts'

const SEQUENCES = chooseRepetitions(3, 200)
const STEPS = 20
const ROLES = ['admin', 'member', 'reader'] as const
/** The first organization has proved its domain; the second one is the attacker's, and has proved another. */
const ORGS = [ORG, OTHER_ORG] as const
const PEOPLE = [
  { name: 'ceo', domain: 'victim.example' },
  { name: 'dev', domain: 'victim.example' },
  { name: 'guest', domain: 'elsewhere.example' },
  { name: 'mallory', domain: 'attacker.example' },
] as const

const MALLORY = PEOPLE.findIndex(({ name }) => name === 'mallory')

type Op =
  | { op: 'invite'; org: number; person: number; role: number }
  /** Opens the newest invitation in their mail. */
  | { op: 'accept'; person: number }
  | { op: 'sign in by mail' | 'sign in at the provider'; person: number }
  /** The attacker signs in at a provider that is trusted for no domain, and claims this address. */
  | { op: 'lie at the other provider'; person: number }
  /** A directory claims that one of its users has this address. */
  | { op: 'provision' | 'move'; org: number; user: number; person: number }
  | { op: 'activate'; org: number; user: number; active: boolean }
  | { op: 'group'; org: number; user: number }
  | { op: 'deprovision'; org: number; user: number }
  | { op: 'leave'; org: number; person: number }

const person = fc.nat(PEOPLE.length - 1)
const org = fc.nat(1)
const user = fc.nat(1)
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ op: fc.constant('invite' as const), org, person, role: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('accept' as const), person }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constantFrom(
        'sign in by mail' as const,
        'sign in at the provider' as const,
        'lie at the other provider' as const,
      ),
      person,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constantFrom('provision' as const, 'move' as const), org, user, person }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('activate' as const), org, user, active: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('group' as const), org, user }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('deprovision' as const), org, user }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('leave' as const), org, person }) },
)

/** A person joins through a directory and leaves; then the directory tries to get them back. Rare by chance alone. */
const comingAndGoing: fc.Arbitrary<Op[]> = fc
  .record({ org, user, person, other: person, last: fc.nat(2) })
  .map(({ org, user, person, other, last }) => [
    { op: 'deprovision', org, user },
    { op: 'provision', org, user, person },
    { op: 'accept', person },
    { op: 'leave', org, person },
    ...(last === 2 ? [{ op: 'move', org, user, person: other } as const] : []),
    last === 0 ? { op: 'group', org, user } : { op: 'activate', org, user, active: true },
  ])
const steps = fc
  .array(fc.oneof({ weight: 4, arbitrary: op.map(one => [one]) }, { weight: 1, arbitrary: comingAndGoing }), {
    minLength: STEPS,
    maxLength: STEPS,
    size: 'max',
  })
  .map(parts => parts.flat())

let app: TestApp
let company: FaultyProvider
let other: FaultyProvider
let directories: Provider[]
let sequences = 0
beforeAll(async () => {
  company = await startFaultyProvider()
  other = await startFaultyProvider()
  const providers = [
    { ...CLIENT, id: 'company', issuer: company.issuer, mail_domains: ['victim.example'] },
    { ...CLIENT, id: 'other', issuer: other.issuer },
  ]
  app = await startTestApp({ settings: { WAYBILL_OIDC_PROVIDERS: JSON.stringify(providers) } })
  directories = [await makeProvider(app, app.admin, ORG), await makeProvider(app, app.outsider, OTHER_ORG)]
  await proveDomains(app, ORG, 'victim.example')
  await proveDomains(app, OTHER_ORG, 'attacker.example')
})
afterAll(async () => {
  await app.stop()
  await company.stop()
  await other.stop()
})

/** One run, with new addresses for its people. */
class World {
  readonly run = sequences++
  /** The owner of each account. */
  private readonly owner_of = new Map<string, number>()
  /** `<org> <person>` of everyone who agreed, or whose employer may decide for them. */
  private readonly agreed = new Set<string>()
  private readonly scim_ids = new Map<string, string>()

  address(person: number): string {
    const { name, domain } = PEOPLE[person] ?? PEOPLE[0]
    return `${name}-${this.run}@${domain}`
  }

  async do(step: Op): Promise<void> {
    if (step.op === 'invite') return this.invite(step)
    if (step.op === 'accept') return this.accept(step.person)
    if (step.op === 'sign in by mail') return this.signInByMail(step.person)
    if (step.op === 'sign in at the provider') return this.signInAtProvider(step.person)
    if (step.op === 'lie at the other provider') return this.lieAtOtherProvider(step.person)
    if (step.op === 'leave') return this.leave(step)
    return this.provision(step)
  }

  private async invite(step: { org: number; person: number; role: number }): Promise<void> {
    const admin = step.org === 0 ? app.admin : app.outsider
    const invitation = { email: this.address(step.person), role: ROLES[step.role] }
    await admin.post(`/invitations/${ORGS[step.org]}`, invitation)
  }

  private async accept(person: number): Promise<void> {
    const mails = (await listQueuedMails(app)).filter(({ to }) => to === this.address(person))
    const mail = mails.findLast(({ text }) => text.includes('/auth/invitation'))
    const token = /[?#]token=(\S+)/.exec(mail?.text ?? '')?.[1]
    if (!mail || token === undefined) return
    const org = ORGS.findIndex(name => mail.text.includes(`the organization ${name}`))
    const browser = makeBrowser(app.server)
    const { status } = await acceptInvitation(browser, decodeURIComponent(token))
    if (status !== 303) return
    this.agreed.add(`${org} ${person}`)
    await this.expectOwn(browser, person)
  }

  private async signInByMail(person: number): Promise<void> {
    const browser = makeBrowser(app.server)
    await browser.submit('/auth/link', { email: this.address(person) })
    const mail = (await listQueuedMails(app)).findLast(
      ({ to, text }) => to === this.address(person) && text.includes('/auth/link'),
    )
    const token = /\/auth\/link\?token=(\w+)/.exec(mail?.text ?? '')?.[1]
    if (token === undefined) return
    const { status } = await browser.submit('/auth/link/redeem', { token })
    if (status === 303) await this.expectOwn(browser, person)
  }

  private async signInAtProvider(person: number): Promise<void> {
    const browser = makeBrowser(app.server)
    const { location } = await browser.get('/auth/sso/company')
    const account = {
      sub: `${this.run}-${person}`,
      email: this.address(person),
      email_verified: true,
    }
    const callback = company.signIn(location ?? '', account)
    const { status } = await browser.get(callback.slice(BASE_URL.length))
    if (status === 303) await this.expectOwn(browser, person)
  }

  private async lieAtOtherProvider(person: number): Promise<void> {
    const browser = makeBrowser(app.server)
    const { location } = await browser.get('/auth/sso/other')
    const account = { sub: `evil-${this.run}-${person}`, email: this.address(person), email_verified: true }
    const callback = other.signIn(location ?? '', account)
    const { status } = await browser.get(callback.slice(BASE_URL.length))
    if (status === 303) await this.expectOwn(browser, MALLORY)
  }

  /** A sign-in opens a new account or the person's own. */
  private async expectOwn(browser: ReturnType<typeof makeBrowser>, person: number): Promise<void> {
    const { body } = await browser.get('/auth/session')
    const owner = this.owner_of.get(body.user) ?? person
    expect(`${body.user} of ${owner}`).toBe(`${body.user} of ${person}`)
    this.owner_of.set(body.user, person)
  }

  private async leave(step: { org: number; person: number }): Promise<void> {
    const admin = step.org === 0 ? app.admin : app.outsider
    for (const [name, owner] of this.owner_of) {
      if (owner === step.person) await admin.delete(`/members/${ORGS[step.org]}/${name}`)
    }
    this.agreed.delete(`${step.org} ${step.person}`)
  }

  private async provision(step: Exclude<Op, { op: 'invite' | 'accept' | 'leave' }> & { org?: number }) {
    if (!('user' in step)) return
    const directory = directories[step.org]
    const key = `${step.org} ${step.user}`
    const id = this.scim_ids.get(key)
    if (!directory) return
    if (step.op === 'provision') {
      const emails = [{ value: this.address(step.person), primary: true }]
      const made = await directory.post('/Users', { userName: `u-${this.run}-${step.user}`, emails })
      if (made.status === 201) this.scim_ids.set(key, made.body.id)
    } else if (id === undefined) return
    else if (step.op === 'move') {
      const value = [{ value: this.address(step.person), primary: true }]
      await directory.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value })
    } else if (step.op === 'activate') {
      await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: step.active })
    } else if (step.op === 'group') {
      await directory.post('/Groups', {
        displayName: `${this.run}-${step.user}-admins`,
        members: [{ value: id }],
      })
    } else {
      await directory.delete(`/Users/${id}`)
      this.scim_ids.delete(key)
    }
  }

  async check(): Promise<void> {
    const people = PEOPLE.map((_, index) => this.address(index))
    const rows = await app.sql(
      `select u.name, u.email, u.deactivated_at is not null as is_deactivated,
         (select count(*)::int from sessions s where s.user_id = u.user_id and s.ended_at is not null) as ended,
         array(select o.name from memberships m join orgs o on o.org_id = m.org_id
               where m.user_id = u.user_id and o.kind = 'shared') as orgs
       from users u where u.email = any ($1) or u.name = any ($2)`,
      [people, [...this.owner_of.keys()]],
    )
    for (const { name, email, is_deactivated, ended, orgs } of rows) {
      const owner = this.owner_of.get(String(name)) ?? people.indexOf(String(email))
      // The account has no address or its owner's; nobody else ended its sessions or deactivated it.
      expect([name, email ?? people[owner], is_deactivated, ended]).toEqual([name, people[owner], false, 0])
      for (const org of orgs as string[]) {
        const index = ORGS.indexOf(org as (typeof ORGS)[number])
        const employer = PEOPLE[owner]?.domain === 'victim.example' ? 0 : 1
        const isEmployed = PEOPLE[owner]?.domain !== 'elsewhere.example' && employer === index
        expect([name, org, isEmployed || this.agreed.has(`${index} ${owner}`)]).toEqual([name, org, true])
      }
    }
  }
}

it('nobody ever gets anything of a person who did not agree', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async sequence => {
      const world = new World()
      // Two people have accounts from the start; by chance, most sequences would reach that only late.
      const known: Op[] = [0, 1].map(person => ({ op: 'sign in at the provider', person }))
      for (const step of [...known, ...sequence]) {
        await world.do(step)
        await world.check()
      }
    }),
    { numRuns: SEQUENCES, endOnFailure: true },
  )
})
