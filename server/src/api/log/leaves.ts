// GET /log/{org}/leaves and /log/{org}/bodies/{index}: the content of the log.
import { Type } from 'typebox'
import { gone, notFound } from '../../lib/errors.ts'
import { formatStoredLeaf } from '../../log/check-leaf.ts'
import { listLeavesWithEvents } from '../../log/check-store.ts'
import { findErasure } from '../../log/erase.ts'
import type { Erasure } from '../../log/erase-store.ts'
import { printStoredBody } from '../../log/stored-body.ts'
import { listLeaves, type StoredLeaf } from '../../log/tree-store.ts'
import { defineOperation } from '../operation.ts'
import { OrgName, OrgPath } from '../shared/fields.ts'
import { about, Closed } from '../shared/wire.ts'
import { requireLog } from './require-log.ts'
import { Index, LogBody, LogLeaves } from './wire.ts'

const MAX_LEAVES = 1_000

export const getLogLeaves = defineOperation(
  {
    id: 'getLogLeaves',
    method: 'GET',
    path: '/log/{org}/leaves',
    tag: 'Log',
    summary: 'Get leaves',
    description: `From \`start\` on, at most ${MAX_LEAVES.toLocaleString('en')}. Leaves have no names and no content: see their bodies.`,
    access: 'reader',
    visitors: 'public_log',
    audit: 'none: reads',
    params: OrgPath,
    query: Closed('LogLeavesQuery', {
      start: Type.Optional(
        Type.Integer({ minimum: 0, ...about('Number of the first leaf; by default 0', 0) }),
      ),
      count: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LEAVES, ...about('The most leaves to return', 100) }),
      ),
    }),
    returns: LogLeaves,
    fails: [400, 403, 404],
  },
  async ({ org, query }, { db }) => {
    const { start = 0, count = MAX_LEAVES } = query
    const { org_id } = org
    const { epoch, size } = await db.withTransaction({ org_id }, tx => requireLog(tx, org_id))
    const rows = await listLeaves(db, org_id, { epoch, from: start, limit: count })
    // The size does not cover leaves added meanwhile.
    return { epoch, size, leaves: rows.filter(({ seq }) => seq < size).map(toWire) }
  },
)

function toWire(row: StoredLeaf) {
  return { index: row.seq, leaf: formatStoredLeaf(row), hash: row.leaf_hash.toString('base64') }
}

export const getLogBody = defineOperation(
  {
    id: 'getLogBody',
    method: 'GET',
    path: '/log/{org}/bodies/{index}',
    tag: 'Log',
    summary: 'Get the body of a leaf',
    description: 'What the event says, byte for byte, and the salt: their hash is in the leaf.',
    access: 'reader',
    audit: 'none: reads',
    params: Closed('LogBodyPath', { org: OrgName, index: Index }),
    returns: LogBody,
    fails: [400, 403, 404, 410],
    example: { params: { index: '0' } },
  },
  async ({ org, params }, { db }) => {
    const { org_id } = org
    const { row, erasure } = await db.withTransaction({ org_id }, async tx => {
      const { epoch } = await requireLog(tx, org_id)
      const [found] = await listLeavesWithEvents(tx, { org_id, epoch, from: params.index, limit: 1 })
      const erased_by = found?.salt === null ? String(found.values?.erased_by ?? '') : null
      return { row: found, erasure: await findErasure(tx, org_id, { erased_by }) }
    })
    if (row?.seq !== params.index) throw notFound(`The log has no leaf ${params.index}`)
    if (erasure) throw gone(describeErasure(params.index, erasure))
    const body = printStoredBody(row)
    if (body === undefined || !row.salt)
      throw notFound(`The body of leaf ${params.index} is not stored any more`)
    return { index: row.seq, leaf: formatStoredLeaf(row), body, salt: row.salt.toString('base64') }
  },
)

function describeErasure(erased: number, { index, actor, happened_at, reason }: Erasure): string {
  return `The body of leaf ${erased} was erased by ${actor} on ${happened_at.toISOString()} (${reason}), as leaf ${index} records`
}
