import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const list = () => app.reader.get('/custom-attestation-types/acme')
const post = (type: object) => app.member.post('/custom-attestation-types/acme', type)

it('returns an empty array when there are none', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(body).toEqual([])
})

it('returns each type like GET does, by name, without archived types or types of other organizations', async () => {
  await post({ name: 'beta', evaluator: { content_type: 'jq', rules: ['.a'] } })
  await post({ name: 'alpha', description: 'First' })
  await post({ name: 'beta' })
  await post({ name: 'gone' })
  await app.member.put('/custom-attestation-types/acme/gone/archive', null)
  await app.outsider.post('/custom-attestation-types/other-corp', { name: 'foreign' })
  const { body } = await list()
  const readType = async (name: string) =>
    (await app.reader.get(`/custom-attestation-types/acme/${name}`)).body
  expect(body).toEqual([await readType('alpha'), await readType('beta')])
  expect(body[0]).toMatchObject({ description: 'First', versions: [{ version: 1 }] })
  expect(body[1].versions).toHaveLength(2)
  expect(body[1]).not.toHaveProperty('description')
})

it('waits for two statements that are sent together once the caller is known', async () => {
  await list()
  expect(await recordWaits(app, () => list())).toEqual(['custom_types.list', 'custom_types.count'])
})

it('returns 400 to an invalid query', async () => {
  const { status, body } = await app.reader.get('/custom-attestation-types/acme?archived=perhaps')
  expect(status).toBe(400)
  expect(Object.keys(body.errors)).toEqual(['query.archived'])
})
