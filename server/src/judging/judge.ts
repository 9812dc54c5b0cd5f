// Judges an environment again by what is known now, and takes a snapshot when that changes what is said of it: a verdict,
// or the policies in force. What changes neither is kept with what runs and shown from the next snapshot on.
import { createHash } from 'node:crypto'
import type { Database, Db } from '../db/database.ts'
import { annotationOf } from '../domain/snapshot/annotation.ts'
import { type Occasion, record } from '../events/record.ts'
import { stringifyInPortions } from '../lib/breathe.ts'
import type { Ids } from '../lib/ids.ts'
import { type Judged, judgeAll } from './evaluate.ts'
import { type AttachedPolicy, allowListOf, attachedPolicies, flowsThatKnow } from './evidence-store.ts'
import { type ExpiredEntry, endExpired, takeMarks } from './marks-store.ts'
import { idsOf } from './report.ts'
import * as running from './running-store.ts'
import { type Cause, takeSnapshot } from './snapshot.ts'
import {
  type AppliedPolicy,
  type HeldEnvironment,
  holdForSnapshot,
  policiesInForce,
} from './snapshot-store.ts'

const PORTION = 500
/** Who is recorded for what nobody asked for: the passing of time. */
const NOBODY = 'waybill'

/** Holds the environment, judges everything that runs in it and takes a snapshot if a verdict or a policy changed. */
export async function judgeNow(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  wanted: { environment_id: string; cause: Cause },
): Promise<void> {
  const environment = await holdForSnapshot(tx, occasion.org.org_id, wanted.environment_id)
  if (environment) await judgeHeld(tx, occasion, ids, { environment, keys: null, cause: wanted.cause })
}

/** Judges what was marked since it was last judged, all of it at once. */
export async function judgePending(
  db: Database,
  ids: Ids,
  now: Date,
  { org_id, environment_id }: { org_id: string; environment_id: string },
): Promise<void> {
  await db.inTransaction({ org_id }, async tx => {
    const environment = await holdForSnapshot(tx, org_id, environment_id)
    const marks = await takeMarks(tx, org_id, environment_id)
    const [first] = marks
    if (!environment || !first) return
    const keys = marks.map(({ artifact_key }) => artifact_key)
    const cause = marks.find(mark => mark.cause !== 'evidence')?.cause ?? first.cause
    await judgeHeld(tx, occasionOf(org_id, first.actor, now), ids, {
      environment,
      keys: keys.includes(null) ? null : [...new Set(keys.flatMap(key => key ?? []))],
      cause: cause as Cause,
    })
  })
}

/** Ends an entry of the allow-list whose time has come, and judges without it. */
export async function expireEntry(db: Database, ids: Ids, now: Date, entry: ExpiredEntry): Promise<void> {
  const { org_id, entry_id, environment_id, fingerprint, artifact_name } = entry
  const occasion = occasionOf(org_id, NOBODY, now)
  await db.inTransaction({ org_id }, async tx => {
    // Held first, as everybody does who changes the allow-list.
    const environment = await holdForSnapshot(tx, org_id, environment_id)
    if (!(await endExpired(tx, org_id, entry_id))) return
    const data = { environment_name: environment?.name, artifact_fingerprint: fingerprint, artifact_name }
    await record(tx, occasion, ids, { kind: 'allow_list_entry_expired', environment_id, data })
    if (environment) await judgeHeld(tx, occasion, ids, { environment, keys: null, cause: 'allow-list' })
  })
}

function occasionOf(org_id: string, actor: string, now: Date): Occasion {
  return { org: { org_id }, caller: { name: actor }, now, request_id: 'judge' }
}

interface Judging {
  environment: HeldEnvironment
  /** Null for everything that runs. */
  keys: string[] | null
  cause: Cause
}

async function judgeHeld(tx: Db, occasion: Occasion, ids: Ids, judging: Judging): Promise<void> {
  const { environment, cause } = judging
  const { environment_id, latest_index } = environment
  const { org_id } = occasion.org
  // A logical environment is judged through its members; before the first report there is nothing to judge.
  if (environment.type === 'logical' || latest_index === 0) return
  const [policies, allow_list, in_force] = await Promise.all([
    attachedPolicies(tx, org_id, environment_id),
    allowListOf(tx, org_id, environment_id, occasion.now),
    policiesInForce(tx, org_id, { environment_id, snapshot_index: latest_index }),
  ])
  const isOtherPolicies = !sameAs(in_force, policies)
  // Other policies are other grounds for everything, marked or not.
  const keys = isOtherPolicies ? null : judging.keys
  const before = await running.runningAsJudged(tx, org_id, { environment_id, keys })
  const fingerprints = before.map(({ fingerprint }) => fingerprint).filter(fingerprint => fingerprint !== '')
  const known = await flowsThatKnow(tx, org_id, fingerprints)
  const judged = await judgeAll(before, { policies, allow_list, known })
  const changed = await changedRows(before, judged)
  if (changed.rows.length > 0) {
    const rows = await stringifyInPortions(changed.rows, PORTION)
    await running.judgeRunning(tx, org_id, { environment_id, rows })
  }
  if (changed.is_verdict_changed || isOtherPolicies) {
    await takeSnapshot(tx, occasion, ids, { environment, policies, cause, started: [], stopped: [] })
  }
}

function sameAs(in_force: readonly AppliedPolicy[], policies: readonly AttachedPolicy[]): boolean {
  const named = (list: readonly AppliedPolicy[]) =>
    list
      .map(({ policy_id, version }) => `${policy_id} ${version}`)
      .sort()
      .join()
  return named(in_force) === named(policies)
}

/** What is now said otherwise than before, and whether a verdict is among it. */
async function changedRows(before: readonly running.JudgedBefore[], judged: readonly Judged[]) {
  const rows: running.JudgedRow[] = []
  let is_verdict_changed = false
  for (const [i, now] of judged.entries()) {
    const was = before[i]
    if (!was) continue
    const flipped = was.compliant !== now.compliant
    const { flow_ids, repo_ids } = idsOf(now)
    if (!flipped && was.evaluation_md5 === md5(JSON.stringify(now.evaluation))) continue
    is_verdict_changed ||= flipped
    rows.push({
      artifact_key: now.artifact_key,
      compliant: now.compliant,
      evaluation: now.evaluation,
      flow_ids,
      repo_ids,
      annotation: annotation(was, now, flow_ids),
    })
  }
  return { rows, is_verdict_changed }
}

function annotation(was: running.JudgedBefore, now: Judged, flow_ids: readonly string[]): string | null {
  const gained = flow_ids.some(flow_id => !was.flow_ids.includes(flow_id))
  const { type } = annotationOf(
    { instance_count: 1, compliant: was.compliant },
    { instance_count: 1, compliant: now.compliant },
    { include_scaling: false, inputs_changed: false },
  )
  if (type !== 'unchanged') return type
  return gained ? 'updated-provenance' : null
}

function md5(content: string): string {
  return createHash('md5').update(content).digest('hex')
}
