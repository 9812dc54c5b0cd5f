// What keeping a receipt seldom needs, and then requests from the service: a large leaf, and which key took over.
import { formatVerifierKey, makeTileReader, type VerifierKey } from '@waybill/transparency-log'
import type { Api } from '../http/api.ts'
import { Problem } from '../program/problem.ts'
import { isSignedBy, type SignedTree } from './check.ts'
import { openReceipts } from './file.ts'
import { followKeys } from './follow-keys.ts'
import { type LeafBody, makeTileRead, openService } from './log-source.ts'
import { outline } from './outline.ts'

/** The write is stored, and its command should end. */
const PATIENCE_MS = 5_000

export async function requestLeaf(
  api: Api,
  org: string,
  index: number,
): Promise<LeafBody | { problem: string }> {
  try {
    const found = await openService(api, org, PATIENCE_MS).readBody(index)
    return found ?? { problem: 'the service does not hand it over' }
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message }
    throw error
  }
}

interface Where {
  file: string
  api: Api
  org: string
}

/** The trees in the receipts show which key took over while the other one still signed. */
export async function findSuccessor(
  key: VerifierKey,
  newest: SignedTree,
  { file, api, org }: Where,
): Promise<VerifierKey | undefined> {
  const receipts = openReceipts(file)
  const trees = outline(receipts.list()).logs.get(newest.origin)?.trees.values() ?? []
  receipts.close()
  const source = openService(api, org, PATIENCE_MS)
  const view = { source, newest, read: makeTileReader(newest.size, makeTileRead(source, newest.origin)) }
  try {
    const followed = await followKeys([key], [formatVerifierKey(key)], [...trees, newest], view)
    return followed.find(each => isSignedBy(newest.note, [each]))
  } catch (error) {
    // Then nothing shows that another key took over, which the caller reports.
    if (error instanceof Problem) return undefined
    throw error
  }
}
