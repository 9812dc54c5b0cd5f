// Trails whose evidence changes: read under the lock of a batch, evaluated by the domain, and saved with their new states.
import { type Db, makeStep, type Step } from '../../db/database.ts'
import type { RowOf } from '../../db/statement.ts'
import type { Template } from '../../domain/template/template.ts'
import { type ComplianceState, computeStates, type OtherBuilds } from '../../domain/trail/evaluate.ts'
import type { Slot } from '../../domain/trail/place-attestation.ts'
import { TRAIL_SUBJECT } from '../../domain/trail/subject.ts'
import { buildRequestStep } from '../../evaluation/pending-store.ts'
import { assert } from '../../lib/assert.ts'
import { groupBy } from '../../lib/group-by.ts'
import {
  buildSaveSlotsStep,
  lockTrails,
  type NamedTrail,
  readBuilds,
  readSlots,
  readTemplates,
  saveArtifactStates,
  saveTrailStates,
} from './evaluate-store.ts'
import { buildLargeTrailReads, mergeLargeTrails, type TrailChange } from './large-trails.ts'

export type { TrailChange } from './large-trails.ts'

type BuildRow = RowOf<typeof readBuilds>
type SlotRow = RowOf<typeof readSlots>
/** `state` is null for a build that has not been stored yet. */
export type StoredBuild = Omit<BuildRow, 'trail_id' | 'state'> & { state: string | null }

/** A trail with everything that determines its state. */
export interface LockedTrail {
  trail_id: string
  flow_id: string
  template_id: string
  template: Template
  /** For a large trail, only the builds that the reports touch. */
  builds: StoredBuild[]
  slots: Slot[]
  /** For a large trail, a summary of the other builds. */
  others: OtherBuilds | undefined
}

/** The steps that lock and read the trails of a batch. `toLockedTrails` takes their rows. */
export function buildTrailReads(org_id: string, trails: readonly NamedTrail[]): Step[] {
  const pairs = [...new Map(trails.map(trail => [toKey(trail), trail])).values()]
  const names = {
    flow_names: pairs.map(({ flow_name }) => flow_name),
    trail_names: pairs.map(({ trail_name }) => trail_name),
  }
  return [
    makeStep(lockTrails, { org_id, ...names }),
    makeStep(readTemplates, { org_id }),
    makeStep(readBuilds, { org_id }),
    makeStep(readSlots, { org_id }),
  ]
}

export const TRAIL_READS = 4

type TrailRows = [RowOf<typeof lockTrails>[], RowOf<typeof readTemplates>[], BuildRow[], SlotRow[]]

/** The steps for trails that are too large to be read in full. `toLockedTrails` takes their rows, too. */
export function buildMoreTrailReads(
  org_id: string,
  rows: readonly unknown[][],
  changes: readonly TrailChange[],
): Step[] {
  const [found, , builds, slots] = rows as TrailRows
  const idOf = new Map(found.map(row => [toKey(row), row.trail_id]))
  const located = changes.map(({ touched, ...names }) => ({
    trail_id: idOf.get(toKey(names)) ?? null,
    touched,
  }))
  return buildLargeTrailReads(org_id, { builds, slots }, located)
}

const toKey = ({ flow_name, trail_name }: NamedTrail) => JSON.stringify([flow_name, trail_name])

/** What a name in a report refers to. */
type FoundTrail = Pick<RowOf<typeof lockTrails>, 'flow_id' | 'trail_id' | 'is_announced'>

export interface LockedTrails {
  byId: ReadonlyMap<string, LockedTrail>
  find(names: NamedTrail): FoundTrail
}

/** `more` are the rows of `buildMoreTrailReads`. */
export function toLockedTrails(rows: readonly unknown[][], more: readonly unknown[][]): LockedTrails {
  const [found, templates, ...read] = rows as TrailRows
  const { builds, slots, others } = mergeLargeTrails({ builds: read[0], slots: read[1] }, more)
  const templateOf = new Map(templates.map(({ template_id, template }) => [template_id, template]))
  const buildsOfTrail = groupBy(builds, ({ trail_id }) => trail_id)
  const slotsOfTrail = groupBy(slots, ({ trail_id }) => trail_id)
  const byId = new Map<string, LockedTrail>()
  for (const { trail_id, flow_id, template_id } of found) {
    if (trail_id === null || flow_id === null || template_id === null) continue
    byId.set(trail_id, {
      trail_id,
      flow_id,
      template_id,
      template: getTemplate(templateOf, template_id),
      builds: buildsOfTrail.get(trail_id) ?? [],
      slots: slotsOfTrail.get(trail_id) ?? [],
      others: others.get(trail_id),
    })
  }
  const byNames = new Map(found.map(row => [toKey(row), row]))
  return {
    byId,
    find: names => {
      const row = byNames.get(toKey(names))
      assert(row, 'every pair of names has a row')
      return row
    },
  }
}

function getTemplate(templates: ReadonlyMap<string, Template>, template_id: string): Template {
  const template = templates.get(template_id)
  assert(template, 'every trail has a template')
  return template
}

export function buildSlotsStep(org_id: string, filled: readonly { trail_id: string; slots: Slot[] }[]): Step {
  const slots = filled.flatMap(trail => trail.slots.map(slot => ({ ...slot, trail_id: trail.trail_id })))
  return buildSaveSlotsStep(org_id, slots)
}

/** A trail with its state, and the state of each build by the id of its artifact. */
export interface EvaluatedTrail {
  trail: LockedTrail
  state: ComplianceState
  builds: Map<string, ComplianceState>
}

export function evaluateLockedTrail(trail: LockedTrail): EvaluatedTrail {
  const { template, builds, slots, others } = trail
  const slotsOfArtifact = groupBy(slots, ({ artifact_id }) => artifact_id)
  const listAttestations = (artifact_id: string) =>
    (slotsOfArtifact.get(artifact_id) ?? []).map(({ counts_as_type, ...slot }) => ({
      ...slot,
      attestation_type: counts_as_type,
    }))
  const artifacts = builds.map(({ fingerprint, ...build }) => ({
    ...build,
    artifact_fingerprint: fingerprint,
    attestations: listAttestations(build.artifact_id),
  }))
  const states = computeStates(template, { attestations: listAttestations(TRAIL_SUBJECT), artifacts }, others)
  return {
    trail,
    state: states.trail,
    builds: new Map(builds.map((build, i) => [build.artifact_id, states.artifacts[i] ?? 'INCOMPLETE'])),
  }
}

/**
 * Saves the new states, and requests evaluations of the artifacts wherever they are running. A trail that was begun in
 * the same batch with the same state is not written again.
 */
export function buildStateSteps(
  org_id: string,
  evaluated: readonly EvaluatedTrail[],
  {
    actor,
    now,
    begun = [],
  }: { actor: string; now: Date; begun?: readonly { trail_id: string; state: string }[] },
): Step[] {
  const stateAtBegin = new Map(begun.map(({ trail_id, state }) => [trail_id, state]))
  const trails = evaluated.filter(({ trail, state }) => stateAtBegin.get(trail.trail_id) !== state)
  const artifacts = evaluated.flatMap(({ trail, builds }) =>
    trail.builds.flatMap(({ artifact_id, state }) => {
      const computed = builds.get(artifact_id)
      return state === null || !computed || computed === state ? [] : { artifact_id, state: computed }
    }),
  )
  const fingerprints = evaluated.flatMap(({ trail }) => trail.builds.map(({ fingerprint }) => fingerprint))
  return [
    trails.length > 0 &&
      makeStep(saveTrailStates, {
        org_id,
        trail_ids: trails.map(({ trail }) => trail.trail_id),
        states: trails.map(({ state }) => state),
        now,
      }),
    artifacts.length > 0 &&
      makeStep(saveArtifactStates, {
        org_id,
        artifact_ids: artifacts.map(({ artifact_id }) => artifact_id),
        states: artifacts.map(({ state }) => state),
      }),
    fingerprints.length > 0 && buildRequestStep(org_id, { fingerprints, actor, now }),
  ].filter(step => step !== false)
}

/**
 * Evaluates trails after a change to themselves, such as another template, in a transaction of several statements.
 */
export async function evaluateTrails(
  tx: Db,
  org_id: string,
  trails: NamedTrail[],
  { actor, now }: { actor: string; now: Date },
): Promise<void> {
  if (trails.length === 0) return
  const rows = await tx.runSteps(buildTrailReads(org_id, trails))
  const changes = trails.map((trail): TrailChange => ({ ...trail, touched: 'all' }))
  const more = await tx.runSteps(buildMoreTrailReads(org_id, rows, changes))
  const { byId } = toLockedTrails(rows, more)
  await tx.runSteps(buildStateSteps(org_id, [...byId.values()].map(evaluateLockedTrail), { actor, now }))
}
