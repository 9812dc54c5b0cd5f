// Publishes the checkpoints of logs that have grown, as the worker does every few seconds.
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { makeLogs } from '../src/log/logs.ts'
import { publishGrownLogs } from '../src/log/publish.ts'
import { SECRET_KEY, type TestApp } from './harness.ts'

export async function publishLogs({ db, evidence, clock }: TestApp): Promise<void> {
  const parts = { db, evidence, clock }
  const logs = makeLogs({ ...parts, sealer: makeSealer(SECRET_KEY), ids: makeIds(clock) })
  await publishGrownLogs({ ...parts, logs, log: makeLog('silent') })
}
