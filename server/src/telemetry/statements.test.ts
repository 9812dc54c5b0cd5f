// Tracing costs no statement and no database wait, and every statement of a request has one span.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPodReport,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
} from '../../test/environments.ts'
import { startTestApp, type TestApp, type TestResponse } from '../../test/harness.ts'
import { makeFingerprint } from '../../test/reports.ts'
import { recordStatements, type Sent } from '../../test/statement-log.ts'
import { makeTracing } from '../../test/tracing.ts'

/** Has a span, but does not count as a statement. */
const COMMIT = 'commit'

const tracing = makeTracing()
let plain: TestApp
let traced: TestApp

const REQUESTS: [string, (app: TestApp) => Promise<TestResponse>][] = [
  ['a flow', ({ member }) => member.put('/flows/acme', { name: 'shop', description: '' })],
  ['a trail', ({ member }) => member.put('/trails/acme/shop', { name: 'build-1' })],
  [
    'an artifact',
    ({ member }) =>
      member.post('/artifacts/acme/shop', {
        fingerprint: makeFingerprint('a1'),
        filename: 'shop:1',
        trail_name: 'build-1',
        git_commit: 'c'.repeat(40),
        build_url: 'https://ci.example.com/1',
        commit_url: 'https://git.example.com/1',
      }),
  ],
  [
    'an attestation',
    ({ member }) =>
      member.post('/attestations/acme/shop/trail/build-1/generic', {
        attestation_name: 'unit',
        is_compliant: true,
      }),
  ],
  [
    'a report',
    ({ snapshotter }) =>
      snapshotter.put('/environments/acme/production/report/K8S', buildPodReport('a1', 'b2')),
  ],
  ['a snapshot', ({ reader }) => reader.get('/snapshots/acme/production/-1')],
  ['a list', ({ reader }) => reader.get('/environments/acme')],
  ['a request that is refused', ({ member }) => member.put('/flows/acme', { name: 'a name with spaces' })],
]

beforeAll(async () => {
  plain = await startTestApp()
  traced = await startTestApp({ tracing })
  for (const app of [plain, traced]) {
    await makeEnvironment(app, 'production')
    await putPolicy(app, 'strict', buildPolicyRequiring('unit'))
    await attach(app, 'production', 'strict')
  }
})
afterAll(() => Promise.all([plain.stop(), traced.stop()]))

describe('tracing', () => {
  it.each(REQUESTS)('adds no statement and no wait to %s, and shows each statement once', async (_, send) => {
    const before = tracing.spans.length
    const without = await record(plain, send)
    const withSpans = await record(traced, send)
    expect(withSpans).toEqual(without)
    const spans = tracing.spans.slice(before)
    expect(spans.filter(({ kind }) => kind === 'server')).toHaveLength(1)
    const shown = spans.filter(({ kind, name }) => kind === 'client' && name !== COMMIT)
    expect(shown.map(({ name }) => name).toSorted()).toEqual(withSpans.sent.statements.toSorted())
  })
})

async function record(app: TestApp, send: (app: TestApp) => Promise<TestResponse>) {
  const answers: TestResponse[] = []
  const sent: Sent = await recordStatements(app, async () => {
    answers.push(await send(app))
  })
  return { status: answers[0]?.status, sent }
}
