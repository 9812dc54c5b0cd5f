// Requests generated from the document, most of them broken in one way: whatever is sent, the response is one that the
// document describes, and the service and its data are intact afterwards. FUZZ_SEED and FUZZ_RUNS select other requests
// and more of them.
//
// The run must not lock itself out: it deletes and changes only spare organizations, changes and removes only members
// that are not its callers, and never revokes or rotates the keys of its callers.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../src/admin/check.ts'
import { operations } from '../../src/api/operations.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { chooseRepetitions } from '../repetitions.ts'
import { breakDraft } from './breaks.ts'
import { findProblems, type Received } from './checks.ts'
import { type DocumentedOperation, readDocument } from './document.ts'
import { type Prepared, prepareOrg } from './prepared-org.ts'
import { type Draft, drawValidDrafts, formatCurl, type WrittenRequest, writeRequest } from './requests.ts'
import { makeValues, type Values } from './schema-values.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20_260_303)
const RUNS = Number(process.env.FUZZ_RUNS ?? chooseRepetitions(300, 20_000))
const BROKEN_OF_TEN = 7
const MAX_SHOWN = 25
const MAX_SHOWN_LENGTH = 600

interface Try {
  draft: Draft
  sent: WrittenRequest
  got: Received
}

/** A stream has no end to wait for; api/live-events/stream.test.ts sends odd requests for it. */
const document = readDocument(operations.filter(({ contract }) => !contract.streams))
let app: TestApp
const tries: Try[] = []
const problems: string[] = []
let faults: unknown[] = []

beforeAll(async () => {
  app = await startTestApp()
  // Errors that the service would log are reported with the request that caused them.
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

/** Node reports it a little late: the previous request may have caused it. */
function recordRejection(error: unknown): void {
  const [before, last] = tries.slice(-2)
  const commands = [before, last].map(attempt => (attempt ? formatCurl(attempt.sent) : ''))
  problems.push(['Unhandled rejection', String((error as Error)?.stack ?? error), ...commands].join('\n  '))
}

/** Every operation gets an equal share from its own seed, so that a new operation does not change the others. */
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

/** The first draft of each operation, then the second of each, and so on. */
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

describe('requests generated from the document', () => {
  it('get only responses that it promises', () => {
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

  it('mostly succeed when nothing is broken: requests rejected early would test little', () => {
    const unbroken = tries.filter(({ draft }) => !draft.broken)
    const accepted = unbroken.filter(({ got }) => got.status < 300)
    expect(accepted.length / unbroken.length).toBeGreaterThan(0.5)
  })

  it('leave the service ready and its data intact', async () => {
    expect((await app.anonymous.get('/ready')).status).toBe(200)
    await app.evaluate()
    const wrong = (await checkIntegrity(app.owner)).filter(({ ok }) => !ok)
    expect(wrong).toEqual([])
  })
})
