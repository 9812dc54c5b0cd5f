// Evaluates trails whose evidence has changed: reads it under the lock of the batch, asks the domain, and saves the states.
import { type Db, makeStep, type Step } from '../../db/database.ts'
import type { RowOf } from '../../db/statement.ts'
import { type AttestationEvidence, type ComplianceState, computeStates } from '../../domain/trail/evaluate.ts'
import { THE_TRAIL } from '../../domain/trail/subject.ts'
import { groupBy } from '../../lib/group-by.ts'
import { type NamedTrail, readBuilds, readSlots, readTemplates, saveStates } from './evaluate-store.ts'

type TemplateRow = RowOf<typeof readTemplates>
type BuildRow = RowOf<typeof readBuilds>
type SlotRow = RowOf<typeof readSlots>

/** Sent in a batch after the statements that change evidence. `buildStatesStep` takes their rows. */
export function buildEvidenceReads(org_id: string, trails: NamedTrail[]): [Step, Step, Step] {
  const params = { org_id, trails }
  return [makeStep(readTemplates, params), makeStep(readBuilds, params), makeStep(readSlots, params)]
}

export function buildStatesStep(org_id: string, rows: readonly unknown[][], now: Date): Step {
  const [templates, builds, slots] = rows as [TemplateRow[], BuildRow[], SlotRow[]]
  return makeStep(saveStates, { org_id, ...evaluate(templates, builds, slots), now })
}

/** The same inside a transaction that has locked the trails. */
export async function evaluateTrails(tx: Db, org_id: string, trails: NamedTrail[], now: Date): Promise<void> {
  const params = { org_id, trails }
  const [templates, builds, slots] = await Promise.all([
    tx.run(readTemplates, params),
    tx.run(readBuilds, params),
    tx.run(readSlots, params),
  ])
  await tx.run(saveStates, { org_id, ...evaluate(templates, builds, slots), now })
}

function evaluate(templates: readonly TemplateRow[], builds: readonly BuildRow[], slots: readonly SlotRow[]) {
  const buildsOfTrail = groupBy(builds, ({ trail_id }) => trail_id)
  const attestations = groupBy(slots, ({ trail_id, artifact_id }) => `${trail_id}/${artifact_id}`)
  const trails: { trail_id: string; state: ComplianceState }[] = []
  const artifacts: { artifact_id: string; state: ComplianceState }[] = []
  for (const { trail_id, template } of templates) {
    const listAttestations = (artifact_id: string) =>
      (attestations.get(`${trail_id}/${artifact_id}`) ?? []).map(toEvidence)
    const stored = buildsOfTrail.get(trail_id) ?? []
    const states = computeStates(template, {
      attestations: listAttestations(THE_TRAIL),
      artifacts: stored.map(({ fingerprint, ...build }) => ({
        ...build,
        artifact_fingerprint: fingerprint,
        attestations: listAttestations(build.artifact_id),
      })),
    })
    trails.push({ trail_id, state: states.trail })
    for (const [i, { artifact_id, state }] of stored.entries()) {
      const computed = states.artifacts[i]
      if (computed !== undefined && computed !== state) artifacts.push({ artifact_id, state: computed })
    }
  }
  return { trails, artifacts }
}

function toEvidence({ counts_as_type, ...slot }: SlotRow): AttestationEvidence {
  return { ...slot, attestation_type: counts_as_type }
}
