// Describes what the witnesses of the operator's policy have seen of a log, for responses.
import type { Policy } from '@waybill/transparency-log'
import type { Static } from 'typebox'
import type { Db } from '../../db/database.ts'
import { describeWitnesses } from '../../log/cosigned.ts'
import { listWitnesses } from '../../log/witness-store.ts'
import { toEpochOrNull } from '../shared/wire.ts'
import type { LogWitness } from './wire.ts'

export async function listSeenWitnesses(
  db: Db,
  policy: Policy | undefined,
  { org_id, epoch }: { org_id: string; epoch: number },
): Promise<Static<typeof LogWitness>[]> {
  if (!policy) return []
  const seen = describeWitnesses(policy, await listWitnesses(db, org_id, epoch))
  return seen.map(({ cosigned_at, ...witness }) => ({ ...witness, cosigned_at: toEpochOrNull(cosigned_at) }))
}
