// The evidence part of `admin check`: every attachment that a row refers to must exist and, on request, match its
// hash.
import { existsSync } from 'node:fs'
import type pg from 'pg'
import { readMigrationState } from '../db/migrate.ts'
import { withOwnerTransaction } from '../db/owner.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import type { EvidencePlace } from '../evidence/location.ts'
import { checkEvidence, type EvidenceReport } from '../evidence/sweep.ts'
import { EvidenceFault } from '../lib/errors.ts'
import type { CheckResult } from './check.ts'
import { listReferencedEvidence } from './evidence-store.ts'

/** Tells a fault of the store from one of the database. */
class StoreAway extends Error {}

/** Skipped if migrations are pending, which `checkIntegrity` already reports. */
export async function checkAttachments(
  owner: pg.Client,
  place: EvidencePlace & { open(): Promise<EvidenceStore> },
  options: { verify: boolean },
): Promise<CheckResult[]> {
  if ((await readMigrationState(owner)).pending.length > 0) return []
  try {
    return await checkStore(owner, place, options)
  } catch (error) {
    if (!(error instanceof StoreAway)) throw error
    return [
      { check: 'the evidence store can be used', ok: false, found: [`${place.name}: ${error.message}`] },
    ]
  }
}

async function checkStore(
  owner: pg.Client,
  place: EvidencePlace & { open(): Promise<EvidenceStore> },
  options: { verify: boolean },
): Promise<CheckResult[]> {
  const isFolderMissing = place.folder !== undefined && !existsSync(place.folder)
  const report = await withOwnerTransaction(owner, async tx => {
    // Before the first attachment there may be no folder. Later, opening the store would hide that the folder is
    // gone.
    if (isFolderMissing) return requireNoReference(listReferencedEvidence(tx))
    const evidence = await useStore(place.open)
    // Has a time limit, which reading an attachment cannot have.
    await useStore(evidence.probe)
    const watched = {
      ...evidence,
      open: (org_id: string, sha256: string) => useStore(() => evidence.open(org_id, sha256)),
    }
    return checkEvidence(watched, listReferencedEvidence(tx), options)
  })
  const missing = report.missing.map(({ org_id, sha256 }) => `${org_id}/${sha256}`)
  const damaged = report.damaged.map(({ org_id, sha256 }) => `${org_id}/${sha256}`)
  const present = {
    check: 'every attachment is in the evidence store',
    ok: missing.length === 0,
    found: missing,
  }
  if (!options.verify) return [present]
  return [present, { check: 'every attachment matches its hash', ok: damaged.length === 0, found: damaged }]
}

async function requireNoReference(references: AsyncIterable<unknown>): Promise<EvidenceReport> {
  for await (const _ of references) throw new StoreAway('the folder does not exist')
  return { missing: [], damaged: [] }
}

async function useStore<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } catch (error) {
    const reason = error instanceof EvidenceFault ? error.reason : (error as Error).message
    throw new StoreAway(reason, { cause: error })
  }
}
