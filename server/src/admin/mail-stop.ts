// `admin user mail ADDRESS`: whether an address accepts mail of organizations. Only its hash is stored, so addresses
// cannot be listed.

import type { Sealer } from '../lib/sealer.ts'
import { hashAddress } from '../mail/recipients.ts'
import { allowMail, findStop } from '../mail/recipients-store.ts'
import type { Admin } from './actor.ts'
import type { Output } from './run.ts'

export async function showMailStop(
  admin: Admin,
  sealer: Sealer,
  address: string,
  { allow }: { allow: boolean },
): Promise<Output> {
  const address_hash = hashAddress(sealer, address)
  const stopped_at = await findStop(admin.tx, address_hash)
  if (stopped_at === null) return { lines: [`${address} accepts mail`], json: { stopped_at: null } }
  const since = stopped_at.toISOString()
  if (!allow)
    return { lines: [`${address} has stopped all mail since ${since}`], json: { stopped_at: since } }
  await allowMail(admin.tx, address_hash)
  return {
    lines: [`${address} accepts mail again; it had stopped all since ${since}`],
    json: { stopped_at: null },
  }
}
