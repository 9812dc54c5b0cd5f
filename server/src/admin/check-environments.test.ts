// `admin check` finds inconsistent environments, and nothing when all is well.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attach, buildPolicyRequiring, makeEnvironment, putPolicy, report } from '../../test/environments.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { checkIntegrity } from './check.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeEnvironment(app, 'prod')
  await putPolicy(app, 'rules', buildPolicyRequiring())
  await attach(app, 'prod', 'rules')
  await report(app, 'prod', 'a', 'b')
  await report(app, 'prod', 'b', 'c')
  await app.evaluate()
})
afterAll(() => app.stop())

it('finds nothing when all is well', async () => {
  const results = await checkIntegrity(app.owner)
  expect(results.filter(({ ok }) => !ok)).toEqual([])
  expect(results.map(({ check }) => check)).toContain(
    'every running artifact has the verdict its policies and evidence give it',
  )
})

it('finds a wrong verdict, a wrong interval and a missing snapshot number', async () => {
  await app.owner.query(`
    update running_artifacts set compliant = true where artifact_key like 'b%';
    update runs set to_index = 3 where artifact_key like 'c%';
    update environments set latest_index = 5`)
  const bad = (await checkIntegrity(app.owner)).filter(({ ok }) => !ok)
  expect(bad).toHaveLength(3)
  const found = bad.flatMap(result => result.found).join('\n')
  expect(found).toContain('acme/prod')
  expect(found).toContain('is stored as true but should be false')
})
