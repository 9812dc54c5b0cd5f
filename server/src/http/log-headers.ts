// The headers that locate the events of a request in the log, and prove it if the client asks.
import { formatProofFile } from '@waybill/transparency-log'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../api/operation.ts'
import { findLeavesOfKey } from '../events/idempotent-leaf-store.ts'
import type { LeafReceipt } from '../events/leaf-receipt.ts'

/** A preference of RFC 7240. */
const WANTED = 'waybill-proof'

interface Leaves {
  org_id: string
  index: number
  count: number
  /** The log's size, so that the leaf is in it. */
  size: number
  leaf_hash: Buffer
}

/** A request that recorded nothing gets no headers. */
export async function buildLogHeaders(
  receipt: LeafReceipt,
  request: FastifyRequest,
  deps: Pick<Deps, 'db' | 'logs'>,
): Promise<Record<string, string>> {
  const leaves = pickLeaves(receipt, request) ?? (await findEarlier(request, deps))
  if (!leaves) return {}
  const { index, count, size, leaf_hash } = leaves
  const place = `index=${index}, count=${count}, size=${size}, leaf="${leaf_hash.toString('base64')}"`
  return { 'waybill-log': place, ...(isWanted(request) ? await buildProof(leaves, request, deps) : {}) }
}

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

function isWanted({ headers }: FastifyRequest): boolean {
  const preferences = [headers.prefer ?? []].flat().join(',').split(',')
  return preferences.some(preference => preference.split(';', 1)[0]?.trim().toLowerCase() === WANTED)
}

async function buildProof(
  { org_id, index, size, leaf_hash }: Leaves,
  request: FastifyRequest,
  { logs }: Pick<Deps, 'logs'>,
): Promise<Record<string, string>> {
  try {
    const leaf = { index, leaf_hash }
    const proof =
      (await logs.prove(org_id, leaf, await logs.sign(org_id, size))) ??
      // The log was reopened, and this process has not read it since.
      (await logs.prove(org_id, leaf, await logs.sign(org_id)))
    if (!proof) {
      logs.counters.proof_failures += 1
      return {}
    }
    return {
      'waybill-log-proof': Buffer.from(formatProofFile(proof)).toString('base64url'),
      'preference-applied': WANTED,
    }
  } catch (error) {
    // The write is stored, and must not fail because of its proof: the client can request it later.
    logs.counters.proof_failures += 1
    request.log.warn({ err: error, request_id: request.id }, 'a write could not be proved in its response')
    return {}
  }
}
