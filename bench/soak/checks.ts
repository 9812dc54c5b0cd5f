// The checks after a soak: every acknowledged write is stored, all work is done, and the data is consistent.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../bench-service.ts'
import type { Fleet } from './fleet.ts'
import type { Kind, Load } from './load.ts'

const DRAIN_WITHIN_MS = 10 * 60_000
const LOOK_EVERY_MS = 500

/** The names of all stored items of a kind. */
const STORED: Record<Kind, string> = {
  trail: 'select name as found from trails',
  artifact: 'select fingerprint as found from artifacts',
  attestation: `select t.name as found from attestations a join trails t using (org_id, trail_id)
    where a.attestation_name = 'checked'`,
  evidence: 'select evidence_sha256 as found from attestations where evidence_sha256 is not null',
  report: 'select fingerprint as found from runs',
}

export interface Found {
  kind: string
  acknowledged: number
  lost: string[]
}

export async function findLost(fleet: Fleet, load: Load): Promise<Found[]> {
  const found: Found[] = []
  for (const [kind, names] of Object.entries(load.acknowledged) as [Kind, string[]][]) {
    const { rows } = await fleet.database.query(STORED[kind])
    const stored = new Set(rows.map(row => row.found))
    found.push({ kind, acknowledged: names.length, lost: names.filter(name => !stored.has(name)) })
  }
  return found
}

/** Returns what is still waiting after a long time, as one line; undefined if nothing is. */
export async function waitUntilDrained(fleet: Fleet): Promise<string | undefined> {
  const deadline_ms = performance.now() + DRAIN_WITHIN_MS
  for (;;) {
    const waiting = await readBacklog(fleet).catch(error => String(error))
    if (waiting === '') return undefined
    if (performance.now() > deadline_ms) return `the backlog did not drain: ${waiting}`
    await sleep(LOOK_EVERY_MS)
  }
}

async function readBacklog({ serving }: Fleet): Promise<string> {
  const text = await (await fetch(`http://127.0.0.1:${serving[0]?.port}/metrics`)).text()
  const lines = text.split('\n').filter(line => line.startsWith('waybill_backlog{'))
  if (lines.length === 0) return 'no measures'
  return lines.filter(line => !line.endsWith(' 0')).join(', ')
}

/** Started artifacts and delivered messages: one each, and the receiver got every one. */
export async function findDeliveryProblems(fleet: Fleet): Promise<string[]> {
  const { rows } = await fleet.database.query(`select
    (select count(*)::int from runs) as started,
    (select count(*)::int from outbox where event_type = 'STARTED_ARTIFACT') as queued,
    (select count(*)::int from outbox where event_type is not null and finished_at is null) as waiting,
    (select count(*)::int from outbox where event_type is not null and last_error is not null
       and finished_at is not null) as failed`)
  const { started, queued, waiting, failed } = rows[0]
  const received = new Set(fleet.receiver.requests.map(({ headers }) => headers['webhook-id']))
  const problems: string[] = []
  if (queued !== started) problems.push(`${started} artifacts started, and ${queued} messages were queued`)
  if (waiting > 0) problems.push(`${waiting} messages wait`)
  if (failed > 0) problems.push(`${failed} messages failed`)
  if (received.size !== queued) problems.push(`${queued} messages, and the receiver got ${received.size}`)
  return problems
}

/** `admin check`: hashes of the evidence, verdicts, the event of every write, and the logs. */
export async function findInconsistencies({ settings }: Fleet): Promise<string[]> {
  const args = [join(ROOT, 'server/dist/main.js'), 'admin', 'check', '--log']
  // Asynchronous: connections to the database go through this process.
  const child = spawn(process.execPath, args, { env: { ...process.env, ...settings } })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await once(child, 'close')
  return status === 0 ? [] : [`admin check: ${(await said).join('')}`]
}
