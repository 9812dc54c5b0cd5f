import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildDecision } from '../../../test/controls.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { operations } from '../operations.ts'

const OFF = { message: "Controls are not enabled for organization 'acme'" }
const gated = operations.map(({ contract }) => contract).filter(({ feature }) => feature === 'controls')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await addControl(app, 'C1')
  await app.member.put('/flows/acme', { name: 'build', description: '' })
  await app.member.put('/trails/acme/build', { name: 'run' })
  await switchControls(false)
})
afterAll(() => app.stop())

async function switchControls(controls: boolean): Promise<void> {
  const { status } = await app.admin.patch('/organizations/acme', { features: { controls } })
  expect(status).toBe(200)
}

const fillPath = (path: string) =>
  path
    .replace('{org}', 'acme')
    .replace('{identifier}', 'C1')
    .replace('{version}', '1')
    .replace('{decision_id}', 'x')

it('gates every operation on controls, and all of them are beta', () => {
  const about = operations
    .filter(({ contract }) => contract.tag === 'Controls')
    .map(({ contract }) => contract)
  expect(about.length).toBeGreaterThanOrEqual(12)
  expect(about.filter(({ feature, beta }) => feature !== 'controls' || beta !== true)).toEqual([])
})

describe('403 in an organization without controls', () => {
  it.each(gated.map(({ id, method, path, example }) => [id, method, path, example?.body] as const))(
    'of %s, for an admin too, and nothing is stored',
    async (_id, method, path, body) => {
      const before = await app.sql('select count(*) from control_versions')
      const answer = await app.admin.call(method, fillPath(path), body)
      expect([answer.status, answer.body]).toEqual([403, OFF])
      expect(await app.sql('select count(*) from control_versions')).toEqual(before)
    },
  )

  it.each(['member', 'snapshotter', 'reader'] as const)('for a %s at once', async role => {
    expect((await app[role].get('/controls/acme')).body).toEqual(OFF)
  })

  it('of tagging one', async () => {
    const answer = await app.member.patch('/tags/acme/control/C1', { set_tags: { a: 'b' } })
    expect([answer.status, answer.body]).toEqual([403, OFF])
  })

  it('also when the feature was never set', async () => {
    const [before] = await app.sql("select features from orgs where name = 'acme'")
    await app.sql("update orgs set features = '{}' where name = 'acme'")
    // Until then the auth cache has the old settings of the caller.
    app.clock.advance(10_000)
    expect((await app.admin.get('/controls/acme')).body).toEqual(OFF)
    await app.sql("update orgs set features = $1 where name = 'acme'", [before?.features])
    app.clock.advance(10_000)
  })

  it('and not in another organization', async () => {
    expect((await app.outsider.get('/controls/other-corp')).status).toBe(200)
  })

  it('but decisions are still accepted', async () => {
    const answer = await app.member.post(
      '/attestations/acme/build/trail/run/system',
      buildDecision('C1', true),
    )
    expect(answer.status).toBe(201)
  })
})

describe('200 when they are switched on again', () => {
  it('has all its controls again', async () => {
    await switchControls(true)
    const { body } = await app.reader.get('/controls/acme')
    expect(body.controls).toMatchObject([{ identifier: 'C1', version: 1 }])
    await switchControls(false)
    expect((await app.reader.get('/controls/acme')).status).toBe(403)
    await switchControls(true)
  })

  it('is closed to visitors of public flows', async () => {
    await app.admin.patch('/organizations/acme', { settings: { public_read: true } })
    expect((await app.anonymous.get('/controls/acme/C1')).status).toBe(401)
    await app.admin.patch('/organizations/acme', { settings: { public_read: false } })
  })
})
