// Who stands behind an organization, and that everything that takes turns takes them by sponsor: forty organizations of
// one person get as much as one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimCursors } from '../src/audit-sinks/store.ts'
import { listOrgsWithExpired } from '../src/evaluation/expiring-decisions-store.ts'
import { listExpiredEntries, listPendingEnvironments } from '../src/evaluation/pending-store.ts'
import { listNewlyStale } from '../src/evaluation/staleness-store.ts'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { addPerson, tokenFor } from './people.ts'

const FORTY = 40

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ settings: { WAYBILL_ORGS_PER_PERSON: 'off' } })
})
afterAll(() => app.stop())

const readSponsor = async (org: string) =>
  (await app.sql('select sponsor from orgs where name = $1', [org]))[0]?.sponsor
const findUserId = async (name: string) =>
  String((await app.sql('select user_id from users where name = $1', [name]))[0]?.user_id)
const invite = async (org: string, email: string, client = app.admin, role = 'member') => {
  await client.post(`/invitations/${org}`, { email, role })
  const browser = makeBrowser(app.server)
  await acceptInvitation(browser, await tokenFor(app, email))
  return browser
}

describe('behind an organization', () => {
  it('stands the person who opened it, as behind their personal one', async () => {
    await app.member.post('/organizations', { name: 'of-max' })
    const max = `person:${await findUserId('max')}`
    expect([await readSponsor('of-max'), await readSponsor('max')]).toEqual([max, max])
  })

  it('stands nobody else if the operator made it', async () => {
    expect([await readSponsor('acme'), await readSponsor('other-corp')]).toEqual([null, null])
  })

  it('stands an invited person who has an address at a public mail service', async () => {
    await invite('acme', 'nora@mail.example')
    expect(await readSponsor('nora')).toBe(`person:${await findUserId('nora')}`)
  })

  it('stands the mail domain that an organization has proved, for everybody with an account from there', async () => {
    await app.sql(
      `insert into mail_domains (org_id, domain, challenge, created_by, created_at, proved_at)
       select org_id, 'corp.example', 'x', 'oscar', $1, $1 from orgs where name = 'other-corp'`,
      [app.clock.now()],
    )
    for (const name of ['ann', 'ben']) await invite('acme', `${name}@corp.example`)
    expect([await readSponsor('ann'), await readSponsor('ben')]).toEqual(Array(2).fill('domain:corp.example'))
  })

  it('stands who has been an admin longest when the person behind it leaves', async () => {
    const opener = await addPerson(app, 'opener')
    await opener.post('/organizations', { name: 'handed-over' })
    for (const [name, role] of [
      ['second', 'member'],
      ['heir', 'admin'],
      ['late', 'admin'],
    ] as const) {
      app.clock.advance(1000)
      await addPerson(app, name)
      await invite('handed-over', `${name}@example.com`, opener, role)
    }
    expect((await opener.delete('/members/handed-over/opener')).status).toBe(200)
    expect(await readSponsor('handed-over')).toBe(`person:${await findUserId('heir')}`)
    expect(await readSponsor('opener')).toBe(`person:${await findUserId('opener')}`)
  })
})

describe('turns', () => {
  let mallory: string[]
  let ada: string
  beforeAll(async () => {
    mallory = await addOrgs('mallory', FORTY)
    ;[ada = ''] = await addOrgs('ada', 1)
  })

  it('of pending evaluations go to a few environments of forty organizations', async () => {
    await addPending(mallory)
    app.clock.advance(1000)
    await addPending([ada])
    app.clock.advance(1000)
    const query = { before: app.clock.now(), except: [], most_per_sponsor: 8 }
    const batch = await listPendingEnvironments(app.db, query)
    expect(batch).toHaveLength(8 + 1)
    expect(batch.slice(0, 2).map(({ org_id }) => org_id)).toContain(ada)
    const own = batch.map(({ org_id }) => org_id).filter(org_id => org_id !== ada)
    expect(new Set(own).size).toBe(own.length)
  })

  it('of pending evaluations go to forty organizations of forty people', async () => {
    await app.sql('delete from pending_judgements')
    for (let person = 0; person < FORTY; person++) await addPending(await addOrgs(`person-${person}`, 1))
    app.clock.advance(1000)
    const query = { before: app.clock.now(), except: [], most_per_sponsor: 8 }
    expect(new Set((await listPendingEnvironments(app.db, query)).map(({ org_id }) => org_id)).size).toBe(
      FORTY,
    )
  })

  it('of what has expired or become stale alternate between sponsors', async () => {
    const environments = `select org_id, environment_id from environments where org_id = any ($1)`
    const early = [mallory, new Date(app.clock.now().getTime() - 20_000)]
    const late = [[ada], new Date(app.clock.now().getTime() - 10_000)]
    // The decisions have no attestations.
    await app.sql('set session_replication_role = replica')
    for (const values of [early, late]) {
      await app.sql(
        'update environments set last_reported_at = $2, expected_report_interval = 1 where org_id = any ($1)',
        values,
      )
      await app.sql(
        `insert into allow_list (org_id, entry_id, environment_id, fingerprint, artifact_name, description, created_by,
           created_at, expires_at)
         select org_id, gen_random_uuid(), environment_id, repeat('a', 64), 'a', '', 'x', $2, $2
         from (${environments}) e`,
        values,
      )
      await app.sql(
        `insert into expiring_decisions (org_id, attestation_id, expires_at)
         select org_id, gen_random_uuid(), $2::timestamptz from (${environments}) e`,
        values,
      )
    }
    await app.sql('reset session_replication_role')
    const now = app.clock.now()
    for (const list of [await listExpiredEntries(app.db, now), await listNewlyStale(app.db, now)]) {
      expect(list).toHaveLength(FORTY + 1)
      expect(list.slice(0, 2).map(({ org_id }) => org_id)).toContain(ada)
    }
    const due = (await listOrgsWithExpired(app.db, now)).map(({ org_id }) => org_id)
    await app.sql('delete from expiring_decisions')
    expect([due.length, due.at(-1)]).toEqual([2, ada])
  })

  it('of audit sinks go to one organization of each sponsor', async () => {
    await app.sql(
      `insert into log_heads (org_id, epoch, origin, size, logged_ms, tag_key)
       select o.org_id, 1, 'x', 1, 0, decode(repeat('00', 32), 'hex') from orgs o where o.org_id = any ($1)`,
      [[...mallory, ada]],
    )
    const now = app.clock.now()
    const until = new Date(now.getTime() + 1000)
    const claimed = await claimCursors(app.db, { sinks: ['siem'], now, until, limit: 1000 })
    const ids = claimed.map(({ org_id }) => org_id)
    await app.sql("delete from log_heads where origin = 'x'")
    expect([ids.filter(id => mallory.includes(id)).length, ids.includes(ada)]).toEqual([1, true])
  })
})

/** Organizations of one person, each with an environment. */
async function addOrgs(person: string, count: number): Promise<string[]> {
  const rows = await app.sql(
    `with made as (
       insert into orgs (org_id, name, kind, sponsor, created_at)
       select gen_random_uuid(), $1 || '-' || n, 'shared', 'person:' || $1, $3 from generate_series(1, $2::int) n
       returning org_id
     )
     insert into environments (org_id, environment_id, name, type, description, created_by, created_at, last_modified_at)
     select org_id, gen_random_uuid(), 'prod', 'K8S', '', 'x', $3, $3 from made
     returning org_id`,
    [person, count, app.clock.now()],
  )
  return rows.map(({ org_id }) => String(org_id))
}

async function addPending(org_ids: readonly string[]): Promise<void> {
  await app.sql(
    `insert into pending_judgements (org_id, environment_id, cause, actor, marked_at)
     select org_id, environment_id, 'evidence', 'x', $2 from environments where org_id = any ($1)`,
    [org_ids, app.clock.now()],
  )
}
