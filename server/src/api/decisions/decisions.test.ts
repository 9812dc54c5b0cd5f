// Decisions that wait for a second person: listing and withdrawing them. server/test/duties.test.ts tests how they are
// requested and confirmed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillDecision } from '../../../test/decisions.ts'
import { makeEnvironment } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const DAY_MS = 86_400_000
const NOT_FOUND = { message: 'Decision not found' }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

/** Requests a decision in its own environment; returns its id. */
async function request(environment: string): Promise<string> {
  await makeEnvironment(app, environment)
  return fillDecision(app.admin, 'acme', environment)
}
const list = async () => (await app.reader.get('/decisions/acme')).body
const listIds = async () => (await list()).map(({ id }: { id: string }) => id)
const withdraw = (id: string, client = app.admin) => client.delete(`/decisions/acme/${id}`)

describe('200', () => {
  it('lists waiting decisions to every member, newest first, until they expire', async () => {
    const older = await request('older')
    app.clock.advance(1000)
    const newer = await request('newer')
    const now_s = app.clock.now().getTime() / 1000
    const { status, body } = await app.reader.get('/decisions/acme')
    expect(status).toBe(200)
    expect(body).toMatchObject([{ id: newer }, { id: older }])
    expect(body[0]).toEqual({
      id: newer,
      kind: 'allow',
      subject: expect.objectContaining({ environment_name: 'newer', artifact_name: 'waiting' }),
      reason: 'x',
      asked_by: 'ada',
      created_at: now_s,
      expires_at: now_s + (7 * DAY_MS) / 1000,
      lapsed_request: null,
    })
    app.clock.advance(7 * DAY_MS - 1000)
    expect(await listIds()).toEqual([newer])
    app.clock.advance(1000)
    expect(await listIds()).toEqual([])
  })

  it.each(['admin', 'member'] as const)('withdraws or rejects a decision as %s', async role => {
    const id = await request(`ended-by-${role}`)
    const [{ kind, subject, asked_by }] = await list()
    const { status, body } = await withdraw(id, app[role])
    expect([status, body]).toEqual([200, 'OK'])
    expect(await listIds()).toEqual([])
    expect((await app.readEvents('decision_withdrawn')).at(-1)).toEqual({
      kind: 'decision_withdrawn',
      actor: role === 'admin' ? 'ada' : 'max',
      data: { decision_id: id, decision: kind, subject, asked_by },
    })
  })

  it('withdraws once when many requests arrive at the same time', async () => {
    const id = await request('raced')
    const before = (await app.readEvents('decision_withdrawn')).length
    const answers = await Promise.all(Array.from({ length: 8 }, () => withdraw(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
    expect(await app.readEvents('decision_withdrawn')).toHaveLength(before + 1)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('does not let a %s withdraw', async role => {
    const id = await request(`guarded-by-${role}`)
    expect((await withdraw(id, app[role])).status).toBe(403)
    expect(await listIds()).toContain(id)
  })

  it('lists nothing to callers of another organization', async () => {
    const { status, body } = await app.outsider.get('/decisions/acme')
    expect([status, Object.keys(body)]).toEqual([403, ['message']])
  })
})

describe('404', () => {
  it.each(['nonsense', '00000000-0000-7000-8000-00000000'])('does not find %s', async id => {
    const { status, body } = await withdraw(id)
    expect([status, body]).toEqual([404, NOT_FOUND])
  })

  it('does not find an expired decision, or one of another organization', async () => {
    const id = await request('late')
    const foreign = await app.outsider.delete(`/decisions/other-corp/${id}`)
    expect([foreign.status, foreign.body]).toEqual([404, NOT_FOUND])
    expect(await listIds()).toContain(id)
    app.clock.advance(7 * DAY_MS)
    expect((await withdraw(id)).body).toEqual(NOT_FOUND)
  })
})
