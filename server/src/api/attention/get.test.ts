// GET /attention/{org}: everything that waits, fails or ends soon, for callers who may see it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillDecision } from '../../../test/decisions.ts'
import { makeEnvironment } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { makeFlow } from '../../../test/reports.ts'
import { listStatements } from '../../../test/statement-log.ts'

const DAY_S = 86_400
const PATH = '/attention/acme'
const WEBHOOK = { type: 'WEBHOOK', webhook: 'https://hooks.example.com/x', payload_version: '1.0' }

let app: TestApp
let now_s: number
beforeAll(async () => {
  app = await startTestApp()
  now_s = app.clock.now().getTime() / 1000
})
afterAll(() => app.stop())

const addKey = (account: string, description: string, days: number) =>
  app.admin.post(`/service-accounts/acme/${account}/api-keys`, {
    description,
    expires_at: days === 0 ? 0 : now_s + days * DAY_S,
  })

describe('200', () => {
  it('is empty in a new organization', async () => {
    const { status, body } = await app.member.get(PATH)
    expect(status).toBe(200)
    expect(body).toEqual({
      decisions: [],
      unbound_attestations: [],
      notification_count: 0,
      failing_targets: [],
      expiring_keys: [],
      expiring_decisions: [],
      expiring_decision_count: 0,
    })
  })

  it('has the waiting decisions and the newest attestations without their artifact', async () => {
    await makeEnvironment(app, 'prod')
    const id = await fillDecision(app.admin, 'acme', 'prod')
    await makeFlow(app, 'built')
    await app.member.put('/trails/acme/built', { name: 'run' })
    const git_commit_info = { sha1: 'a'.repeat(40), message: 'm', author: 'a', branch: 'main', timestamp: 1 }
    for (const n of [1, 2, 3, 4, 5, 6]) {
      await app.member.post('/attestations/acme/built/trail/run/generic', {
        attestation_name: `scan-${n}`,
        is_compliant: true,
        target_artifacts: ['image'],
        git_commit_info,
      })
    }
    const { decisions, unbound_attestations } = (await app.reader.get(PATH)).body
    expect(decisions).toEqual((await app.reader.get('/decisions/acme')).body)
    expect(decisions).toMatchObject([{ id }])
    const listed = (await app.reader.get('/attestations/acme?is_waiting=true&per_page=5')).body.data
    expect(unbound_attestations).toEqual(listed)
    expect(listed[0].attestation_name).toBe('scan-6')
  })

  it('has the failing targets of both kinds of notifications, without their addresses', async () => {
    await app.member.put('/organizations/acme/environments_notifications', {
      name: 'of prod',
      environments: ['prod'],
      triggers: ['ON_COMPLIANT_ENV'],
      targets: [WEBHOOK],
    })
    await app.member.put('/organizations/acme/flows_notifications', {
      name: 'of built',
      type: 'flow',
      flows: ['built'],
      triggers: ['ON_STARTED_TRAIL'],
      targets: [WEBHOOK],
    })
    expect((await app.reader.get(PATH)).body).toMatchObject({ notification_count: 2, failing_targets: [] })
    const failed_at = '2026-01-01T00:00:00Z'
    await app.sql(
      `update notification_targets set last_failure_at = '${failed_at}', last_error = 'why', failing_since = '${failed_at}'`,
    )
    const failed = { last_error: 'why', last_failure_at: Date.UTC(2026, 0, 1) / 1000 }
    expect((await app.reader.get(PATH)).body.failing_targets).toEqual([
      { number: 1, name: 'of prod', about: 'environments', ...failed },
      { number: 2, name: 'of built', about: 'flows', ...failed },
    ])
  })

  it('has the active keys of service accounts that expire within 30 days, soonest first', async () => {
    for (const name of ['ci', 'gone']) await app.admin.post('/service-accounts/acme', { name })
    await addKey('ci', 'later', 29)
    await addKey('ci', 'soon', 2)
    await addKey('ci', 'in time', 31)
    await addKey('ci', 'never', 0)
    await addKey('gone', 'of a deleted account', 3)
    await app.admin.delete('/service-accounts/acme/gone')
    const { body: revoked } = await addKey('ci', 'revoked', 4)
    await app.admin.delete(`/service-accounts/acme/ci/api-keys/${revoked.id}`)
    const { expiring_keys } = (await app.snapshotter.get(PATH)).body
    expect(expiring_keys).toMatchObject([
      { account: 'ci', description: 'soon', expires_at: now_s + 2 * DAY_S },
      { account: 'ci', description: 'later', expires_at: now_s + 29 * DAY_S },
    ])
    expect(JSON.stringify(expiring_keys)).not.toMatch(/wb_svc_\w+_\w+/)
  })

  it('shows keys to those who may list them, and to nobody else', async () => {
    const auditor = await addPerson(app, 'otto', 'auditor')
    expect((await auditor.get(PATH)).body.expiring_keys).toHaveLength(2)
    expect((await app.reader.get(PATH)).body.expiring_keys).toBeNull()
  })

  it('shows nothing of another organization', async () => {
    const { body } = await app.outsider.get('/attention/other-corp')
    expect(body).toMatchObject({ decisions: [], unbound_attestations: [], failing_targets: [] })
    expect(body.expiring_keys).toEqual([])
  })

  it('sends one statement for each list', async () => {
    const statements = await listStatements(app, () => app.admin.get(PATH))
    expect(statements.filter(name => name === 'attention.expiring_keys')).toHaveLength(1)
    expect(statements.filter(name => name === 'notifications.list')).toHaveLength(2)
    expect(statements.filter(name => name === 'attention.expiring_decisions')).toHaveLength(1)
  })
})

describe('403', () => {
  it('refuses everyone outside the organization', async () => {
    expect((await app.outsider.get(PATH)).status).toBe(403)
  })
})
