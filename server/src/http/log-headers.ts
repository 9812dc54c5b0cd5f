// The headers that locate the events of a request in the log, and prove them if the client asks.
import { formatProofFile } from '@waybill/transparency-log'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../api/operation.ts'
import { findLeavesOfKey } from '../events/idempotent-leaf-store.ts'
import type { LeafReceipt } from '../events/leaf-receipt.ts'
import { findRecordedLeaf, type RecordedLeaf } from '../log/recorded-leaf-store.ts'
import { formatLeafHeader } from './leaf-header.ts'

/** Preferences of RFC 7240. */
const PREFERENCES = ['waybill-proof', 'waybill-leaf'] as const
type Preference = (typeof PREFERENCES)[number]

type Headers = Record<string, string>

interface Leaves {
  org_id: string
  index: number
  count: number
  /** The log's size, so that the leaf is in it. */
  size: number
  leaf_hash: Buffer
}

export async function buildLogHeaders(
  receipt: LeafReceipt,
  request: FastifyRequest,
  deps: Pick<Deps, 'db' | 'logs'>,
): Promise<Headers> {
  const preferred = listPreferences(request)
  const leaves = pickLeaves(receipt, request) ?? (await findEarlier(request, deps))
  // Nothing was recorded. The client can tell that from a service that does not know what it prefers.
  if (!leaves) return describeApplied(preferred)
  const { index, count, size, leaf_hash } = leaves
  const place = `index=${index}, count=${count}, size=${size}, leaf="${leaf_hash.toString('base64')}"`
  if (preferred.length === 0) return { 'waybill-log': place }
  const [proof, row] = await Promise.all([
    preferred.includes('waybill-proof') ? buildProof(leaves, request, deps) : undefined,
    preferred.includes('waybill-leaf') ? findLeaf(leaves, request, deps) : undefined,
  ])
  const leaf = row && formatLeafHeader(row, deps.logs.findKey(leaves.org_id), proof?.length ?? 0)
  return {
    'waybill-log': place,
    ...(proof === undefined ? {} : { 'waybill-log-proof': proof }),
    ...(leaf === undefined ? {} : { 'waybill-log-leaf': leaf }),
    ...describeApplied([...(proof ? ['waybill-proof'] : []), ...(leaf ? ['waybill-leaf'] : [])]),
  }
}

function listPreferences({ headers }: FastifyRequest): Preference[] {
  const given = [headers.prefer ?? []].flat().join(',').split(',')
  const names = given.map(preference => preference.split(';', 1)[0]?.trim().toLowerCase())
  return PREFERENCES.filter(preference => names.includes(preference))
}

const describeApplied = (applied: readonly string[]): Headers =>
  applied.length === 0 ? {} : { 'preference-applied': applied.join(', ') }

function pickLeaves(receipt: LeafReceipt, { known }: FastifyRequest): Leaves | undefined {
  const leaves = receipt.leaves.filter(({ org_id }) => org_id === known.org?.org_id)
  const [first] = leaves
  return first && { ...first, count: leaves.length }
}

/** The leaves of the first request with the same idempotency key. */
async function findEarlier(request: FastifyRequest, { db }: Pick<Deps, 'db'>): Promise<Leaves | undefined> {
  const key = request.headers['idempotency-key']
  const { org, caller } = request.known
  if (typeof key !== 'string' || !org || !caller) return undefined
  const found = await findLeavesOfKey(db, org.org_id, { caller_id: caller.id, key })
  return found && { org_id: org.org_id, ...found }
}

/** The proof, encoded. */
async function buildProof(
  { org_id, index, size, leaf_hash }: Leaves,
  request: FastifyRequest,
  { logs }: Pick<Deps, 'logs'>,
): Promise<string | undefined> {
  try {
    const leaf = { index, leaf_hash }
    const proof =
      (await logs.prove(org_id, leaf, await logs.sign(org_id, size))) ??
      // The log was reopened, and this process has not read it since.
      (await logs.prove(org_id, leaf, await logs.sign(org_id)))
    if (proof) return Buffer.from(formatProofFile(proof)).toString('base64url')
  } catch (error) {
    // The write is stored, and must not fail because of its proof: the client can request it later.
    request.log.warn({ err: error, request_id: request.id }, 'a write could not be proved in its response')
  }
  logs.counters.proof_failures += 1
  return undefined
}

async function findLeaf(
  { org_id, index, leaf_hash }: Leaves,
  request: FastifyRequest,
  { db }: Pick<Deps, 'db'>,
): Promise<RecordedLeaf | undefined> {
  try {
    const found = await findRecordedLeaf(db, org_id, index)
    return found?.leaf_hash.equals(leaf_hash) ? found : undefined
  } catch (error) {
    // As with the proof: the client can request the leaf and its body later.
    request.log.warn({ err: error, request_id: request.id }, 'a leaf could not be put into its response')
    return undefined
  }
}
