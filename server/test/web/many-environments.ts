// An organization with more environments than fit on a page. The first ones run something, one of them is non-compliant and
// one compliant. The others are rows in the database only: 500 requests for each would take too long.
import { expect } from 'vitest'
import { attach, makeEnvironment, putPolicy, report } from '../environments.ts'
import type { TestApp, TestResponse } from '../harness.ts'

export const ENVIRONMENT_COUNT = 500
/** As many as a matrix shows at a time. */
const REPORTING = 20
/** Both make a matrix that is higher than a window. */
const ARTIFACTS = 20
const CONTROLS = 30

export const nameEnvironment = (number: number) => `cluster-${String(number).padStart(3, '0')}`

export async function fillManyEnvironments(app: TestApp): Promise<void> {
  for (let number = 0; number < REPORTING; number++) {
    must(await makeEnvironment(app, nameEnvironment(number)))
    const starts = Array.from({ length: ARTIFACTS }, (_, i) => `${(i + ARTIFACTS).toString(16)}${number % 3}`)
    must(await report(app, nameEnvironment(number), ...starts))
  }
  await copyEnvironments(app)
  for (let number = 0; number < CONTROLS; number++)
    must(await app.admin.post('/controls/acme', { identifier: `C-${number}`, name: `Rule ${number}` }))
  must(await putPolicy(app, 'strict', `${SCHEMA}artifacts:\n  provenance: {required: true}\n`))
  must(await putPolicy(app, 'loose', `${SCHEMA}artifacts: {}\n`))
  must(await attach(app, nameEnvironment(0), 'strict'))
  must(await attach(app, nameEnvironment(1), 'loose'))
  await app.evaluate()
}

const SCHEMA = '_schema: https://waybill.example/schemas/policy/v1\n'

/** Every fourth environment is in the north. */
async function copyEnvironments(app: TestApp): Promise<void> {
  await app.owner.query(
    `insert into environments
       (org_id, environment_id, name, type, description, created_by, created_at, last_modified_at)
     select e.org_id, gen_random_uuid(), 'cluster-' || lpad(number::text, 3, '0'), e.type, e.description,
       e.created_by, e.created_at, e.last_modified_at
     from environments e cross join generate_series($1::int, $2::int) number where e.name = $3`,
    [REPORTING, ENVIRONMENT_COUNT - 1, nameEnvironment(0)],
  )
  await app.owner.query(
    `update environments set tags = jsonb_build_object('region',
       (array['north', 'east', 'south', 'west'])[1 + right(name, 3)::int % 4])
     where name like 'cluster-%'`,
  )
}

function must(answer: TestResponse): void {
  expect(answer.status, answer.text).toBeLessThan(300)
}
