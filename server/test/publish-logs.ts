// Publishes the checkpoints of grown logs, as the worker does every few seconds.
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { importHistory } from '../src/log/history.ts'
import { makeLogs } from '../src/log/logs.ts'
import { publishGrownLogs } from '../src/log/publish.ts'
import { SECRET_KEY, type TestApp } from './harness.ts'

export async function publishLogs({ db, evidence, clock }: TestApp): Promise<void> {
  const parts = { db, evidence, clock }
  const log = makeLog('silent')
  const logs = makeLogs({ ...parts, sealer: makeSealer(SECRET_KEY), ids: makeIds(clock), log })
  await publishGrownLogs({ ...parts, logs, log })
}

/** Imports events from before the log, as the worker does. */
export function importOldEvents({ db, clock }: TestApp): Promise<void> {
  return importHistory({ db, clock, ids: makeIds(clock), log: makeLog('silent') })
}

/** Adds rows to every table of logs. */
export async function fillLogs(app: TestApp): Promise<void> {
  await publishLogs(app)
  // A log gets such rows with its 256th leaf. These belong to nonexistent logs, so nothing reads them.
  await app.sql(
    `insert into log_nodes (org_id, epoch, level, number, hash)
     select org_id, 9, 1, 0, sha256('') from log_heads on conflict do nothing`,
  )
  // As for organizations from before the log. These have no events without a leaf.
  await app.sql('insert into history_imports (org_id) select org_id from log_heads on conflict do nothing')
  await importOldEvents(app)
  await app.sql(
    `insert into log_witnesses (org_id, epoch, vkey, asked_at)
     select org_id, 9, 'w', now() from log_heads on conflict do nothing`,
  )
  await app.sql(
    `insert into audit_sink_cursors (org_id, sink, not_before)
     select org_id, 'siem', now() from log_heads on conflict do nothing`,
  )
  await app.sql(
    `insert into log_cosigned (org_id, epoch, size, root, note, has_quorum)
     select org_id, 9, 1, sha256(''), 'note', true from log_heads on conflict do nothing`,
  )
}
