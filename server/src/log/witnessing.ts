// Sends the checkpoints of logs that have grown to the witnesses of the operator's policy, and stores their
// responses. Neither writes nor checkpoints wait for this. Several workers may do it: one of them claims each witness
// of each log.
import type { Egress } from '@waybill/egress'
import {
  formatNote,
  formatVerifierKey,
  type Policy,
  type PolicyWitness,
  parseNote,
} from '@waybill/transparency-log'
import type { Database, Db } from '../db/database.ts'
import { type RequestContext, recordEvent } from '../events/record.ts'
import { SYSTEM_ACTOR } from '../events/request-context.ts'
import type { Clock } from '../lib/clock.ts'
import { groupBy } from '../lib/group-by.ts'
import type { Ids } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { announceFork } from '../notifications/announce-fork.ts'
import type { SignedCheckpoint } from './advance.ts'
import { type Asked, askWitness } from './ask-witness.ts'
import { addSignatures, meetsQuorum } from './cosigned.ts'
import type { Logs } from './logs.ts'
import {
  claimWitnesses,
  findCosigned,
  listWitnesses,
  lockWitnesses,
  saveWitness,
  storeCosigned,
} from './witness-store.ts'

const EVERY_MS = 5_000
/** A witness is asked about the same log at most this often. */
const ASK_AGAIN_MS = 60_000
/** The interval for a log that has not grown. */
const ASK_IDLE_MS = 3_600_000
const CLAIMED_AT_ONCE = 100
/** A witness that is slow for one log must not hold up all others. */
const LOGS_AT_ONCE = 8
const OK_MESSAGE = 'The witness has cosigned the log as it was when it was last asked'

export interface WitnessingParts {
  db: Database
  logs: Logs
  egress: Egress
  clock: Clock
  ids: Ids
  log: Log
  policy: Policy
  /** How long a witness may take to respond. */
  limit_ms: number
}

export interface Witnessing {
  /** Waits for the witnesses that are being asked. */
  stop(): Promise<void>
}

export function startWitnessing(parts: WitnessingParts): Witnessing {
  let running: Promise<void> | undefined
  let stopping = false
  const timer = setInterval(() => {
    running ??= askWitnesses(parts, () => stopping).finally(() => {
      running = undefined
    })
  }, EVERY_MS)
  timer.unref()
  return {
    stop: async () => {
      stopping = true
      clearInterval(timer)
      await running
    },
  }
}

/** Asks every witness that is due. */
export async function askWitnesses(parts: WitnessingParts, isStopping = () => false): Promise<void> {
  const { db, clock, log, policy } = parts
  const witnesses = new Map(policy.witnesses.map(witness => [formatVerifierKey(witness.key), witness]))
  /** Witnesses that did not respond in this round are not waited for again: there may be hundreds of logs. */
  const silent = new Map<string, Asked>()
  try {
    while (!isStopping()) {
      const now = clock.now()
      const before = new Date(now.getTime() - ASK_AGAIN_MS)
      const idle_before = new Date(now.getTime() - ASK_IDLE_MS)
      const claimed = await claimWitnesses(db, {
        vkeys: [...witnesses.keys()],
        now,
        before,
        idle_before,
        limit: CLAIMED_AT_ONCE,
      })
      if (claimed.length === 0) return
      const logs = groupBy(claimed, row => row.org_id).entries()
      const askInTurn = async () => {
        for (const [org_id, rows] of logs) {
          if (isStopping()) return
          const vkeys = rows.map(({ vkey }) => vkey)
          // In the order of the policy, so that messages name them in the same order each time.
          const asked = [...witnesses].flatMap(([vkey, witness]) => (vkeys.includes(vkey) ? [witness] : []))
          await askAbout(parts, org_id, asked, silent).catch(error =>
            // A later round tries again.
            log.warn({ err: error, org_id }, 'the witnesses of a log could not be asked'),
          )
        }
      }
      await Promise.all(Array.from({ length: LOGS_AT_ONCE }, askInTurn))
    }
  } catch (error) {
    log.warn({ err: error }, 'the logs due for witnesses could not be listed')
  }
}

/** Asks all witnesses about the same checkpoint at once. */
async function askAbout(
  parts: WitnessingParts,
  org_id: string,
  witnesses: readonly PolicyWitness[],
  silent: Map<string, Asked>,
): Promise<void> {
  const { db, logs } = parts
  const checkpoint = await logs.sign(org_id)
  const { epoch } = checkpoint
  const known = await db.withTransaction({ org_id }, tx => listWitnesses(tx, org_id, epoch))
  const asked = await Promise.all(
    witnesses.map(async witness => {
      const vkey = formatVerifierKey(witness.key)
      const old_size = known.find(row => row.vkey === vkey)?.size ?? 0
      const known_silent = silent.get(vkey)
      if (known_silent) return { witness, vkey, result: known_silent }
      const result = await ask(parts, org_id, { witness, checkpoint, old_size })
      if (result.state === 'unreachable') silent.set(vkey, result)
      if (result.state !== 'ok') countFailure(logs, witness)
      return { witness, vkey, result }
    }),
  )
  await store(parts, org_id, checkpoint, asked)
}

function countFailure({ counters: { witness_failures } }: Logs, { name }: PolicyWitness): void {
  witness_failures.set(name, (witness_failures.get(name) ?? 0) + 1)
}

function ask(
  { logs, egress, clock, limit_ms }: WitnessingParts,
  org_id: string,
  question: { witness: PolicyWitness; checkpoint: SignedCheckpoint; old_size: number },
): Promise<Asked> {
  const { witness, checkpoint, old_size } = question
  const { epoch, size } = checkpoint
  const parts = {
    egress,
    limit_ms,
    now: clock.now(),
    prove: (from: number) => logs.proveConsistency(org_id, epoch, from, size),
    countLeaves: async () => (await logs.sign(org_id)).size,
  }
  return askWitness(parts, witness, checkpoint, old_size)
}

interface AskedWitness {
  witness: PolicyWitness
  vkey: string
  result: Asked
}

/** Stores all responses in one transaction, with an event for each new fork. */
async function store(
  { db, clock, ids, log, policy }: WitnessingParts,
  org_id: string,
  checkpoint: SignedCheckpoint,
  asked: readonly AskedWitness[],
): Promise<void> {
  const { epoch, origin, size, root } = checkpoint
  const now = clock.now()
  const context = { org: { org_id }, caller: { name: SYSTEM_ACTOR }, now, request_id: 'witnesses' }
  const cosignatures = asked.flatMap(({ result }) =>
    'cosignature' in result ? result.cosignature.signature : [],
  )
  await db.withTransaction({ org_id }, async tx => {
    const states = await lockWitnesses(tx, org_id, epoch)
    const forks: { name: string; vkey: string; message: string }[] = []
    for (const { witness, vkey, result } of asked) {
      await saveWitness(tx, { org_id, epoch, vkey, ...toReport(result, size) })
      if (result.state !== 'fork') continue
      const { name } = witness
      const { message } = result
      log.error({ org_id, origin, witness: name, reason: message }, 'a witness has seen another log')
      if (states.get(vkey) !== 'fork') forks.push({ name, vkey, message })
    }
    await raiseAlarm(tx, ids, { ...context, origin, size }, forks)
    if (cosignatures.length === 0) return
    const stored = await findCosigned(tx, org_id, epoch, size)
    const note = addSignatures(stored === undefined ? checkpoint.note : parseNote(stored), cosignatures)
    const has_quorum = meetsQuorum(policy, note)
    await storeCosigned(tx, { org_id, epoch, size, root, note: formatNote(note), has_quorum })
  })
}

/** Mails the admins, and records each witness's statement. Writes and checkpoints continue. */
async function raiseAlarm(
  tx: Db,
  ids: Ids,
  context: RequestContext & { origin: string; size: number },
  forks: readonly { name: string; vkey: string; message: string }[],
): Promise<void> {
  if (forks.length === 0) return
  const { org, now, origin, size } = context
  const witnesses = forks.map(({ name, message }) => ({ name, message }))
  const told = await announceFork(tx, ids, { ...org, now }, { origin, size, witnesses })
  for (const { name, vkey, message } of forks) {
    const data = { origin, size, witness: name, vkey, message, told }
    await recordEvent(tx, context, ids, { kind: 'log_fork_reported', data })
  }
}

function toReport(result: Asked, size: number) {
  if (result.state !== 'ok') return { ...result, size: 0, cosigned_at: null }
  const { time_s } = result.cosignature
  return { state: result.state, message: OK_MESSAGE, size, cosigned_at: new Date(time_s * 1000) }
}
