// Fingerprints as callers write them: in full, or as a prefix of at least 5 characters.
import { Type } from 'typebox'
import type { Db } from '../../db/database.ts'
import { type AppError, badRequest } from '../../lib/errors.ts'
import { listFingerprintsByPrefix } from './fingerprints-store.ts'
import { about } from './wire.ts'

export const FingerprintPrefix = Type.String({
  pattern: '^[a-f0-9]{5,64}$',
  ...about('The first 5 to 64 characters of the fingerprint', 'b5bb9d80'),
})

export function ambiguousFingerprint(prefix: string, matches: number): AppError {
  return badRequest(`Fingerprint '${prefix}' matches ${matches} artifacts; use a longer prefix`)
}

/** The only fingerprint with this prefix, in one flow or in any. Throws a 400 if there are several. */
export async function resolveFingerprint(
  db: Db,
  org_id: string,
  filter: { flow_id: string | null; prefix: string; archived?: boolean },
): Promise<string | undefined> {
  const found = await listFingerprintsByPrefix(db, org_id, { archived: false, ...filter })
  if (found.length > 1) throw ambiguousFingerprint(filter.prefix, found.length)
  return found[0]
}
