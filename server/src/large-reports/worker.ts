// The code of the thread that stores large reports: the same gate, schema and handler as for small ones, with its own
// database connections. The build bundles it as `dist/report-worker.js`.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { findReport, type ReportTools } from '../api/environments/report.ts'
import type { LargeReport } from '../api/large-reports.ts'
import { connectDatabase } from '../db/database.ts'
import { translateDatabaseFault } from '../db/violations.ts'
import { makeCompiledPolicies } from '../evaluation/compiled-policies.ts'
import type { LeafReceipt } from '../events/leaf-receipt.ts'
import { toNeutralInput } from '../http/compat.ts'
import { parseJson } from '../http/json-gate.ts'
import { makeValidators } from '../http/validation.ts'
import { assert } from '../lib/assert.ts'
import { makeIds } from '../lib/ids.ts'
import type { FromThread, Outcome, Sent, ThreadData, ToThread } from './messages.ts'

assert(parentPort, 'this file runs in a thread')
listen(parentPort, workerData as ThreadData)

function listen(port: MessagePort, { database, base_url }: ThreadData): void {
  const current = new AsyncLocalStorage<Sent>()
  const db = connectDatabase(database, () => undefined, {
    onStatement: name => void current.getStore()?.statements.push(name),
    onWait: name => void current.getStore()?.waits.push(name),
  })
  const shared = { db, base_url, compiled_policies: makeCompiledPolicies() }
  port.on('message', async (message: ToThread) => {
    if (message === 'close') {
      port.close()
      return db.close()
    }
    const { number, report } = message
    const sent: Sent = { statements: [], waits: [] }
    const outcome = await current.run(sent, () => store(report, shared))
    port.postMessage({ number, sent, outcome } satisfies FromThread)
  })
}

async function store(report: LargeReport, shared: Omit<ReportTools, 'ids'>): Promise<Outcome> {
  try {
    const { contract, store } = findReport(report.operation_id)
    const { buffer, byteOffset, byteLength } = report.body
    const sent = parseJson(Buffer.from(buffer, byteOffset, byteLength), 'body')
    const { values: body } = toNeutralInput(contract.id, sent)
    makeValidators(contract).body(body, '')
    const clock = { now: () => report.now, monotonic_ms: () => 0 }
    const receipt: LeafReceipt = { leaves: [] }
    const answered = await store({ ...report, receipt }, body, { ...shared, ids: makeIds(clock) })
    return { ...answered, leaves: receipt.leaves }
  } catch (error) {
    // Errors lose their class and their properties on the way to another thread.
    const refused = translateDatabaseFault(error)
    if (!refused) return { failure: String((error as Error).stack) }
    const { status, message, errors, headers } = refused
    return { refusal: { status, message, errors, headers } }
  }
}
