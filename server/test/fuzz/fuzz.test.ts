// Requests made from the document, most of them broken in one way: whatever is sent, the answer is one that the document
// knows, and the service and its data are sound afterwards. FUZZ_SEED and FUZZ_RUNS ask for others and for more.
//
// The run must not end itself. Deleting and opening an organization is tried on one to throw away, members are changed
// and removed only among people nobody calls as, and the keys of the callers are not among those to revoke or rotate.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../src/admin/check.ts'
import { operations } from '../../src/api/operations.ts'
import { type TestApp, testApp } from '../harness.ts'
import { breakDraft } from './breaks.ts'
import { findProblems, type Received } from './checks.ts'
import { type DocumentedOperation, readDocument } from './document.ts'
import { type Prepared, prepareOrg } from './prepared-org.ts'
import { type Draft, drawValidDrafts, formatCurl, type WrittenRequest, writeRequest } from './requests.ts'
import { makeValues, type Values } from './schema-values.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20_260_303)
const RUNS = Number(process.env.FUZZ_RUNS ?? 2_000)
const BROKEN_OF_TEN = 7
const MAX_SHOWN = 25
const MAX_SHOWN_LENGTH = 600

interface Try {
  draft: Draft
  sent: WrittenRequest
  got: Received
}

const document = readDocument(operations)
let app: TestApp
const tries: Try[] = []
const problems: string[] = []
let faults: unknown[] = []

beforeAll(async () => {
  app = await testApp()
  // What the service would log about a fault is told with the request that caused it.
  app.server.log.error = (entry: unknown) => {
    faults.push((entry as { err?: unknown }).err)
  }
  process.on('unhandledRejection', recordRejection)
  const prepared = await prepareOrg(app, document.operations)
  const values = makeValues(document.schemas, prepared.inBody)
  for (const draft of interleave(
    document.operations.map(operation => drawDrafts(operation, values, prepared)),
  )) {
    await send(draft)
  }
})
afterAll(async () => {
  process.off('unhandledRejection', recordRejection)
  await app.stop()
})

/** It is noticed a moment late: the request that caused it may be the one before. */
function recordRejection(error: unknown): void {
  const [before, last] = tries.slice(-2)
  const commands = [before, last].map(attempt => (attempt ? formatCurl(attempt.sent) : ''))
  problems.push(
    ['A rejection nobody handled', String((error as Error)?.stack ?? error), ...commands].join('\n  '),
  )
}

/** Every operation gets its share, by a seed of its own: a new operation does not change what the others get. */
function drawDrafts(operation: DocumentedOperation, values: Values, prepared: Prepared): Draft[] {
  const valid = drawValidDrafts(operation, values, prepared)
  const drafts = fc.oneof(
    { weight: 10 - BROKEN_OF_TEN, arbitrary: valid },
    { weight: BROKEN_OF_TEN, arbitrary: valid.chain(draft => breakDraft(draft, document)) },
  )
  const share = Math.ceil(RUNS / document.operations.length)
  return fc.sample(drafts, { numRuns: share, seed: computeSeed(operation.id) })
}

function computeSeed(id: string): number {
  return [...id].reduce((seed, letter) => (seed * 31 + letter.charCodeAt(0)) | 0, SEED)
}

/** One of each, then the next of each. */
function interleave(shares: Draft[][]): Draft[] {
  const longest = Math.max(...shares.map(share => share.length))
  return Array.from({ length: longest }, (_, turn) => shares.flatMap(share => share.slice(turn, turn + 1)))
    .flat()
    .slice(0, RUNS)
}

async function send(draft: Draft): Promise<void> {
  const sent = writeRequest(draft, caller => app[caller].key)
  faults = []
  const answer = await app.server.inject({
    method: sent.method as 'GET',
    url: sent.url,
    headers: sent.headers,
    ...(sent.payload === undefined ? {} : { payload: sent.payload }),
  })
  const got = { status: answer.statusCode, headers: answer.headers, text: answer.body }
  tries.push({ draft, sent, got })
  const found = findProblems(document, draft, sent, got)
  if (found.length > 0) problems.push(formatProblem({ draft, sent, got }, found))
}

function formatProblem({ draft, sent, got }: Try, found: readonly string[]): string {
  const lines = [
    `${draft.operation.id} as ${draft.caller}, ${draft.broken?.how ?? 'unbroken'}: ${found.join('; ')}`,
    `${got.status} ${got.text.slice(0, MAX_SHOWN_LENGTH)}`,
    formatCurl(sent),
    ...faults.map(fault => String((fault as Error)?.stack ?? fault)),
  ]
  return lines.join('\n  ')
}

describe('requests made from the document', () => {
  it('get only answers that it promises', () => {
    const shown = problems.slice(0, MAX_SHOWN).join('\n\n')
    expect(problems, `${problems.length} with FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}:\n\n${shown}`).toHaveLength(
      0,
    )
  })

  it('are broken in seven of ten cases, and spread over all operations', () => {
    expect(tries).toHaveLength(RUNS)
    const broken = tries.filter(({ draft }) => draft.broken).length
    expect(broken / RUNS).toBeGreaterThan(0.65)
    expect(broken / RUNS).toBeLessThan(0.75)
    const reached = new Set(tries.map(({ draft }) => draft.operation.id))
    expect(reached.size).toBe(Math.min(RUNS, document.operations.length))
  })

  it('get through when nothing is broken: what is refused at the door tests little', () => {
    const unbroken = tries.filter(({ draft }) => !draft.broken)
    const accepted = unbroken.filter(({ got }) => got.status < 300)
    expect(accepted.length / unbroken.length).toBeGreaterThan(0.5)
  })

  it('leave the service ready and its data sound', async () => {
    expect((await app.anonymous.get('/ready')).status).toBe(200)
    await app.evaluate()
    const wrong = (await checkIntegrity(app.owner)).filter(({ ok }) => !ok)
    expect(wrong).toEqual([])
  })
})
