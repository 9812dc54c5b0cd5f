// Trails whose evidence changes: read under the lock of a batch, evaluated by the domain, and saved with their new states.
import { type Db, makeStep, type Step } from '../../db/database.ts'
import type { RowOf } from '../../db/statement.ts'
import type { Template } from '../../domain/template/template.ts'
import { type ComplianceState, computeStates } from '../../domain/trail/evaluate.ts'
import type { Slot } from '../../domain/trail/place-attestation.ts'
import { THE_TRAIL } from '../../domain/trail/subject.ts'
import { requestTrailEvaluations } from '../../evaluation/pending-store.ts'
import { groupBy } from '../../lib/group-by.ts'
import {
  lockTrails,
  type NamedTrail,
  readBuilds,
  readSlots,
  readTemplates,
  saveSlots,
  saveStates,
} from './evaluate-store.ts'

type BuildRow = RowOf<typeof readBuilds>
/** `state` is null for a build that has not been stored yet. */
export type StoredBuild = Omit<BuildRow, 'trail_id' | 'state'> & { state: string | null }

/** A trail with everything that decides its state. */
export interface LockedTrail {
  trail_id: string
  flow_id: string
  template_id: string
  template: Template
  builds: StoredBuild[]
  slots: Slot[]
}

/** The first steps of a batch. `toLockedTrails` takes their rows. */
export function buildTrailReads(org_id: string, trails: NamedTrail[]): Step[] {
  const params = { org_id, trails }
  return [
    makeStep(lockTrails, params),
    makeStep(readTemplates, params),
    makeStep(readBuilds, params),
    makeStep(readSlots, params),
  ]
}

/** By id. */
export function toLockedTrails(rows: readonly unknown[][]): Map<string, LockedTrail> {
  const [, templates, builds, slots] = rows as [
    unknown[],
    RowOf<typeof readTemplates>[],
    BuildRow[],
    RowOf<typeof readSlots>[],
  ]
  const buildsOfTrail = groupBy(builds, ({ trail_id }) => trail_id)
  const slotsOfTrail = groupBy(slots, ({ trail_id }) => trail_id)
  return new Map(
    templates.map(trail => [
      trail.trail_id,
      {
        ...trail,
        builds: buildsOfTrail.get(trail.trail_id) ?? [],
        slots: slotsOfTrail.get(trail.trail_id) ?? [],
      },
    ]),
  )
}

export function buildSlotsStep(org_id: string, filled: readonly { trail_id: string; slots: Slot[] }[]): Step {
  const slots = filled.flatMap(trail => trail.slots.map(slot => ({ ...slot, trail_id: trail.trail_id })))
  return makeStep(saveSlots, { org_id, slots })
}

export function buildStatesStep(org_id: string, trails: Iterable<LockedTrail>, now: Date): Step {
  const states = [...trails].map(trail => ({ trail, ...evaluateTrail(trail) }))
  return makeStep(saveStates, {
    org_id,
    trails: states.map(({ trail, state }) => ({ trail_id: trail.trail_id, state })),
    artifacts: states.flatMap(({ trail, builds }) =>
      trail.builds.flatMap(({ artifact_id, state }) => {
        const computed = builds.get(artifact_id)
        return state === null || !computed || computed === state ? [] : { artifact_id, state: computed }
      }),
    ),
    now,
  })
}

/** The state of the trail, and of each build by the id of its artifact. */
export function evaluateTrail({ template, builds, slots }: LockedTrail): {
  state: ComplianceState
  builds: Map<string, ComplianceState>
} {
  const slotsOfArtifact = groupBy(slots, ({ artifact_id }) => artifact_id)
  const listAttestations = (artifact_id: string) =>
    (slotsOfArtifact.get(artifact_id) ?? []).map(({ counts_as_type, ...slot }) => ({
      ...slot,
      attestation_type: counts_as_type,
    }))
  const states = computeStates(template, {
    attestations: listAttestations(THE_TRAIL),
    artifacts: builds.map(({ fingerprint, ...build }) => ({
      ...build,
      artifact_fingerprint: fingerprint,
      attestations: listAttestations(build.artifact_id),
    })),
  })
  return {
    state: states.trail,
    builds: new Map(builds.map((build, i) => [build.artifact_id, states.artifacts[i] ?? 'INCOMPLETE'])),
  }
}

/** For a change of the trail itself, such as another template, in a transaction of several statements. */
export async function evaluateTrails(
  tx: Db,
  org_id: string,
  trails: NamedTrail[],
  { actor, now }: { actor: string; now: Date },
): Promise<void> {
  const locked = toLockedTrails(await tx.runSteps(buildTrailReads(org_id, trails)))
  await tx.runSteps([
    buildStatesStep(org_id, locked.values(), now),
    makeStep(requestTrailEvaluations, { org_id, trails, actor, now }),
  ])
}
