// Statements that store idempotency keys in a transaction of several statements.
import { type Db, makeStep, type Step } from '../../db/database.ts'
import {
  defineStatement,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'

// The second of two concurrent requests waits for the first and then sees what it stored. A plain select would read the
// snapshot from before.
const claim = defineStatement(
  'idempotency.claim',
  { org_id: uuid, caller_id: uuid, key: text, request_sha256: text, now: time },
  { answered_sha256: nullable(text) },
  `insert into idempotency_keys as k (org_id, caller_id, key, request_sha256, created_at)
   values (:org_id, :caller_id, :key, :request_sha256, :now)
   on conflict (org_id, caller_id, key) do update set answer = k.answer
   returning case when k.xmax = 0 then null else k.request_sha256 end as answered_sha256`,
)

export interface IdempotencyClaim {
  caller_id: string
  idempotency_key: string | null
  request_sha256: string | null
}

/** The hash of the earlier request with this key, or null if the request may proceed. */
export async function claimKey(
  db: Db,
  org_id: string,
  item: IdempotencyClaim,
  now: Date,
): Promise<string | null> {
  const { caller_id, idempotency_key: key, request_sha256 } = item
  if (key === null || request_sha256 === null) return null
  const [row] = await db.run(claim, { org_id, caller_id, key, request_sha256, now })
  return row?.answered_sha256 ?? null
}

const readKeys = defineStatement(
  'idempotency.read_keys',
  { org_id: uuid, caller_ids: uuids, keys: texts },
  { caller_id: uuid, key: text, request_sha256: text, answered_id: nullable(uuid) },
  `select k.caller_id, k.key, k.request_sha256, (k.answer ->> 'id')::uuid as answered_id
   from unnest(:caller_ids::uuid[], :keys::text[]) as i(caller_id, key)
   cross join lateral (
     select * from idempotency_keys x where x.org_id = :org_id and x.caller_id = i.caller_id and x.key = i.key limit 1
   ) k`,
)

/** Reads the keys of a batch that were used before. Most requests have none, and then nothing is sent. */
export function buildKeyReads(org_id: string, items: readonly IdempotencyClaim[]): Step[] {
  const keyed = items.filter(hasKey)
  if (keyed.length === 0) return []
  const caller_ids = keyed.map(({ caller_id }) => caller_id)
  return [
    makeStep(readKeys, { org_id, caller_ids, keys: keyed.map(({ idempotency_key }) => idempotency_key) }),
  ]
}

const hasKey = <T extends IdempotencyClaim>(item: T): item is T & { idempotency_key: string } =>
  item.idempotency_key !== null

/** The earlier request with the key of an item, from the rows of `buildKeyReads`. */
export function makeAnswerFinder(rows: readonly unknown[] | undefined) {
  const used = (rows ?? []) as RowOf<typeof readKeys>[]
  return ({ caller_id, idempotency_key }: IdempotencyClaim) =>
    used.find(row => row.key === idempotency_key && row.caller_id === caller_id)
}

const insertKeys = defineStatement(
  'idempotency.insert_keys',
  { org_id: uuid, keys: json<(IdempotencyClaim & { now: string; answer: unknown })[]>() },
  {},
  `insert into idempotency_keys (org_id, caller_id, key, request_sha256, answer, created_at)
   select :org_id, k.caller_id, k.idempotency_key, k.request_sha256, k.answer, k.now
   from jsonb_to_recordset(:keys::jsonb) as k(caller_id uuid, idempotency_key text, request_sha256 text, answer jsonb,
     now timestamptz)`,
)

/**
 * For a batch whose reads found none of these keys. If another process stores one of them first, the batch fails and its
 * requests are sent again one by one.
 */
export function buildKeySteps(
  org_id: string,
  items: readonly (IdempotencyClaim & { now: string; answer: unknown })[],
): Step[] {
  const keys = items
    .filter(({ idempotency_key }) => idempotency_key !== null)
    .map(({ caller_id, idempotency_key, request_sha256, now, answer }) => ({
      caller_id,
      idempotency_key,
      request_sha256,
      now,
      answer,
    }))
  return keys.length === 0 ? [] : [makeStep(insertKeys, { org_id, keys })]
}

const save = defineStatement(
  'idempotency.save_answer',
  { org_id: uuid, caller_id: uuid, key: text, answer: json<unknown>() },
  {},
  `update idempotency_keys set answer = :answer::jsonb
   where org_id = :org_id and caller_id = :caller_id and key = :key`,
)

/**
 * Needed when the response cannot be derived from the current state at the time of a retry. Call it in the transaction
 * that claimed the key.
 */
export async function saveAnswer(
  db: Db,
  org_id: string,
  item: IdempotencyClaim,
  answer: unknown,
): Promise<void> {
  const { caller_id, idempotency_key: key } = item
  if (key !== null) await db.run(save, { org_id, caller_id, key, answer })
}

const find = defineStatement(
  'idempotency.answer_given',
  { org_id: uuid, caller_id: uuid, key: text },
  { request_sha256: text, answer: nullable(json<unknown>()) },
  `select request_sha256, answer from idempotency_keys
   where org_id = :org_id and caller_id = :caller_id and key = :key`,
)

/** The response to the earlier request with this key. */
export async function findSavedAnswer<T>(
  db: Db,
  org_id: string,
  item: IdempotencyClaim,
): Promise<T | undefined> {
  return (await findEarlierRequest<T>(db, org_id, item))?.answer ?? undefined
}

/** For a request that must not claim its key yet. */
export async function findEarlierRequest<T>(
  db: Db,
  org_id: string,
  { caller_id, idempotency_key: key }: IdempotencyClaim,
): Promise<{ request_sha256: string; answer: T | null } | undefined> {
  if (key === null) return undefined
  const [row] = await db.run(find, { org_id, caller_id, key })
  return row && { request_sha256: row.request_sha256, answer: row.answer as T | null }
}
