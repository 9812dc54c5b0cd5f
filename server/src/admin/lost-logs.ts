// What a restored database lacks of the logs: compares them with their anchors, and says what to do.
import type pg from 'pg'
import { makeOwnerDb } from '../db/owner.ts'
import type { AnchorStore } from '../evidence/evidence.ts'
import { EvidenceFault } from '../lib/errors.ts'
import { compareAnchors } from '../log/compare-anchors.ts'
import { listOrgNames } from './lost-logs-store.ts'
import type { Output } from './run.ts'

const MOST_LISTED = 20

export async function describeLostLogs(owner: pg.Client, anchors: AnchorStore): Promise<Output> {
  try {
    const { run } = makeOwnerDb(owner)
    const all = { after: undefined, limit: Number.MAX_SAFE_INTEGER }
    const { lost, unanchored } = await compareAnchors(anchors, run, all)
    const found = [...lost, ...unanchored]
    const ids = found.map(({ org_id }) => org_id)
    const names = new Map((await listOrgNames({ run }, ids)).map(({ org_id, name }) => [org_id, name]))
    const logs = found.map(({ org_id, sentence }) => ({ org: names.get(org_id) ?? org_id, reason: sentence }))
    return { lines: formatLogs(logs), json: logs }
  } catch (error) {
    if (!(error instanceof EvidenceFault)) throw error
    // The rows are restored, and the service compares the logs every minute.
    return { lines: [`The logs could not be compared with what was signed: ${error.reason}`], json: null }
  }
}

function formatLogs(logs: readonly { org: string; reason: string }[]): string[] {
  if (logs.length === 0) return []
  const more = logs.length - MOST_LISTED
  return [
    'These logs lack what was signed, or the checkpoint that would show it. Writes go on, and nothing is signed:',
    ...logs.slice(0, MOST_LISTED).map(({ org, reason }) => `          ${org}: ${reason}`),
    ...(more > 0 ? [`          and ${more} more`] : []),
    'For each of them, open a new log that names the old one: waybill admin log reopen ORG --reason TEXT',
  ]
}
