// Inserts events together with hashes of the rows that they change, which it reads in the transaction of the change.
import type { Db } from '../db/database.ts'
import { assert } from '../lib/assert.ts'
import { parseWireId } from '../lib/ids.ts'
import { COVERAGE } from './coverage.ts'
import { buildEventsStep } from './store.ts'
import { readContents, type StoredRowId, type StoredRowName } from './stored-rows-store.ts'
import type { EventToInsert } from './to-log.ts'

export interface StoredRowIds {
  /** The ids of changed rows that neither a column nor the data of the event contains. */
  row_ids?: Readonly<Partial<Record<StoredRowName, string | readonly string[]>>>
}

export type EventWithRows = Omit<EventToInsert, 'rows'> & StoredRowIds

/** Call this in the transaction of the changes that the events describe, after the changes. */
export async function insertEvents(db: Db, org_id: string, events: readonly EventWithRows[]): Promise<void> {
  const wanted = events.map(event => listRows(org_id, event))
  const all = wanted.flat()
  const contents = all.length === 0 ? [] : await readContents(db, org_id, all)
  const rows = all.map((row, i) => ({ ...row, content: contents[i] ?? '' }))
  let next = 0
  const complete = events.map(({ row_ids, ...event }, i): EventToInsert => {
    const own = rows.slice(next, next + (wanted[i]?.length ?? 0))
    next += own.length
    return { ...event, rows: own }
  })
  await db.runSteps([buildEventsStep(org_id, complete)])
}

function listRows(org_id: string, event: EventWithRows): StoredRowId[] {
  const given = Object.entries(event.row_ids ?? {}) as [StoredRowName, string | readonly string[]][]
  const named = given.flatMap(([name, ids]) => [ids].flat().map(id => ({ name, id })))
  const others = COVERAGE[event.kind].rows.filter(name => event.row_ids?.[name] === undefined)
  return [...others.map(name => ({ name, id: findRowId(name, org_id, event) })), ...named]
}

/** Where events name the rows that they change. */
const FIND_ROW_ID: Partial<Record<StoredRowName, (event: EventWithRows) => unknown>> = {
  flow: ({ flow_id }) => flow_id,
  trail: ({ trail_id }) => trail_id,
  environment: ({ environment_id }) => environment_id,
  policy: ({ policy_id }) => policy_id,
  control: ({ control_id }) => control_id,
  decision: ({ data }) => parseWireId(String(data.decision_id)),
  decision_basis: ({ data }) => parseWireId(String(data.decision_id)),
  key: ({ data }) => parseWireId(String(data.key_id)),
  badge: ({ data }) => parseWireId(String(data.badge_id)),
  scim_token: ({ data }) => parseWireId(String(data.token_id)),
  scim_token_owner: ({ data }) => parseWireId(String(data.token_id)),
  repo_tags: ({ data }) => parseWireId(String(data.repo_id)),
  mail_domain: ({ data }) => data.domain,
  trust_rule: ({ data }) => data.rule_name,
  trust_rule_issuer: ({ data }) => data.rule_name,
  custom_type: ({ data }) => data.type_name,
  notification_config: ({ data }) => data.notification_type,
  approval: ({ flow_id, data }) => `${flow_id}/${data.approval_number}`,
}

function findRowId(name: StoredRowName, org_id: string, event: EventWithRows): string {
  const id = name === 'org' ? org_id : FIND_ROW_ID[name]?.(event)
  assert(typeof id === 'string', `${event.kind} names the ${name} that it changes`)
  return id
}
