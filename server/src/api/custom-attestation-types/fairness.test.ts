// One organization's jq programs never delay or refuse another's. The programs of the first organization never end, so a
// response to the second one proves that it did not wait for them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp, type TestResponse } from '../../../test/harness.ts'
import { prepareRule } from '../../../test/jq-rule.ts'
import { PATIENCE_MS, until } from '../../../test/patience.ts'

/** More than one organization may have running and waiting. */
const FLOOD = 80

let app: TestApp
const flooded: Promise<TestResponse | Error>[] = []
let refused = 0
beforeAll(async () => {
  app = await startTestApp({ jq_limits: { step_ms: PATIENCE_MS, work_ms: PATIENCE_MS } })
  await prepareRule(app.member, 'acme', 'def f: f; f')
  await prepareRule(app.outsider, 'other-corp', '.coverage >= 80')
})
afterAll(async () => {
  await app.jq.close()
  await Promise.all(flooded)
  await app.stop()
})

const attest = (client: Client, org: string) =>
  client.post(`/attestations/${org}/ci/trail/run/custom`, {
    attestation_name: 'coverage',
    type_name: 'rule',
    attestation_data: { coverage: 90 },
  })

function flood(): void {
  for (let sent = 0; sent < FLOOD; sent++) {
    const answer = attest(app.member, 'acme').catch((error: Error) => error)
    flooded.push(answer)
    void answer.then(one => {
      if ('status' in one && one.status === 429) refused += 1
    })
  }
}

describe('while endless programs of one organization run and wait', () => {
  beforeAll(async () => {
    flood()
    await until(() => refused > 0)
  })

  it('another organization gets responses and is never refused', async () => {
    for (let times = 0; times < 10; times++) {
      expect((await attest(app.outsider, 'other-corp')).status).toBe(201)
    }
    expect(await app.sql('select is_compliant from attestations')).toEqual(
      Array(10).fill({ is_compliant: true }),
    )
  })

  it('another organization creates a type', async () => {
    const type = { name: 'second', evaluator: { content_type: 'jq', rules: ['.ok'] }, type_schema: {} }
    expect((await app.outsider.post('/custom-attestation-types/other-corp', type)).status).toBe(201)
  })

  it('the organization that sent too many is asked to retry', async () => {
    const answer = await attest(app.member, 'acme')
    expect(answer.status).toBe(429)
    expect(answer.headers['retry-after']).toBe('1')
  })
})
