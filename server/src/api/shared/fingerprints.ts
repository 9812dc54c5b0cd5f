// Fingerprints as callers write them: whole, or 5 or more characters from the beginning.
import { Type } from 'typebox'
import type { Db } from '../../db/database.ts'
import { type AppError, badRequest } from '../../lib/errors.ts'
import { listFingerprintsByPrefix } from './fingerprints-store.ts'

export const FingerprintPrefix = Type.String({ pattern: '^[a-f0-9]{5,64}$' })

export function ambiguousFingerprint(prefix: string, matches: number): AppError {
  return badRequest(`Fingerprint '${prefix}' matches ${matches} artifacts; give more of it`)
}

/** The one fingerprint that begins so in a flow, or in any; none, or the refusal of several. */
export async function resolveFingerprint(
  db: Db,
  org_id: string,
  filter: { flow_id: string | null; prefix: string; archived?: boolean },
): Promise<string | undefined> {
  const found = await listFingerprintsByPrefix(db, org_id, { archived: false, ...filter })
  if (found.length > 1) throw ambiguousFingerprint(filter.prefix, found.length)
  return found[0]
}
