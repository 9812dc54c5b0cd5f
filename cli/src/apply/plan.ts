// Compares documents with the state of the service, and decides what to do in which order. Pure.
import { isDeepStrictEqual } from 'node:util'
import { parsePolicy } from '../../../server/src/domain/policy/parse.ts'
import { listNamedControls } from '../../../server/src/domain/policy/policy.ts'
import type { Document, DocumentProblem, Place } from './documents.ts'
import { type Fields, KIND_NAMES, KINDS, type KindName, nameResource, readCurrent } from './kinds.ts'
import { isManaged, type Ownership } from './ownership.ts'

export type Action = 'create' | 'restore' | 'change' | 'unchanged' | 'archive' | 'delete'

export interface Difference {
  field: string
  before: unknown
  after: unknown
}

export interface Step {
  action: Action
  kind: KindName
  name: string
  /** Undefined if no document describes it. */
  place?: Place
  /** The fields that differ, for a change. */
  differences: readonly Difference[]
  desired?: Fields
}

/** By name. */
export interface Known {
  active: ReadonlyMap<string, Fields>
  archived: ReadonlyMap<string, Fields>
}

/** Kinds that were not read are not compared. */
export type Current = Readonly<Partial<Record<KindName, Known>>>

export interface Plan {
  /** In the order of execution. */
  steps: Step[]
  problems: DocumentProblem[]
}

/** `ownership` is given only to remove what the documents no longer contain. */
export function makePlan(
  documents: readonly Document[],
  current: Current,
  ownership: Ownership | undefined,
): Plan {
  const steps = documents.map(document => planDocument(document, current))
  const removals = ownership === undefined ? [] : planRemovals(documents, current, ownership)
  const problems = documents.flatMap(document => [
    ...findImpossible(document, current),
    ...findMissing(document, { documents, current, removals }),
  ])
  return {
    steps: [...steps.toSorted(compareSteps), ...removals.toSorted((one, other) => compareSteps(other, one))],
    problems,
  }
}

function planDocument({ place, kind, name, desired }: Document, current: Current): Step {
  const { active, archived } = current[kind] ?? { active: new Map(), archived: new Map() }
  const found = active.get(name)
  const step = { kind, name, place, desired, differences: [] }
  if (found === undefined) {
    const old = archived.get(name)
    // Whether a new environment takes the name of an archived one of another type.
    const isRestored = old !== undefined && (kind !== 'environment' || old.neutral_type === desired.type)
    return { ...step, action: isRestored ? 'restore' : 'create' }
  }
  const differences = findDifferences(kind, readCurrent(KINDS[kind], found), desired)
  return { ...step, action: differences.length === 0 ? 'unchanged' : 'change', differences }
}

function findDifferences(kind: KindName, before: Fields, after: Fields): Difference[] {
  return KINDS[kind].fields.flatMap(({ name, is_set }) => {
    const values = [before[name], after[name]].map(value => (is_set ? toSet(value) : value))
    if (isDeepStrictEqual(values[0], values[1])) return []
    return [{ field: name, before: before[name], after: after[name] }]
  })
}

const toSet = (value: unknown): unknown => (Array.isArray(value) ? [...new Set(value)].toSorted() : value)

/** Resources that others refer to come first, and logical environments after their members. */
function compareSteps(one: Step, other: Step): number {
  return getRank(one) - getRank(other) || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)
}

function getRank({ kind, desired }: Step): number {
  return 2 * KIND_NAMES.indexOf(kind) + (desired?.type === 'logical' ? 1 : 0)
}

function planRemovals(documents: readonly Document[], current: Current, ownership: Ownership): Step[] {
  return KIND_NAMES.flatMap(kind => {
    const written = new Set(documents.filter(each => each.kind === kind).map(({ name }) => name))
    return [...(current[kind]?.active ?? new Map<string, Fields>())].flatMap(([name, resource]): Step[] => {
      if (written.has(name) || !isManaged(ownership, kind, name)) return []
      const { action } = KINDS[kind].removal
      return [{ action, kind, name, differences: [], desired: { type: resource.type } }]
    })
  })
}

/** Problems that the service would otherwise report halfway through the plan. */
function findImpossible({ place, kind, name, desired }: Document, current: Current): DocumentProblem[] {
  const found = current[kind]?.active.get(name)
  if (kind !== 'environment' || found === undefined || found.neutral_type === desired.type) return []
  const message = `the environment is of type ${found.neutral_type}, which cannot change to ${desired.type}`
  return [{ place, subject: nameResource(kind, name), field: 'type', message }]
}

interface Everything {
  documents: readonly Document[]
  current: Current
  removals: readonly Step[]
}

interface Reference {
  field: string
  kind: KindName
  name: string
}

function findMissing(document: Document, everything: Everything): DocumentProblem[] {
  const subject = nameResource(document.kind, document.name)
  return listReferences(document).flatMap(reference => {
    const message = describeMissing(reference, everything)
    return message === undefined ? [] : [{ place: document.place, subject, field: reference.field, message }]
  })
}

function listReferences({ kind, desired }: Document): Reference[] {
  const refer = (field: string, to: KindName, names: readonly string[]) =>
    names.map(name => ({ field, kind: to, name }))
  switch (kind) {
    case 'environment':
      return [
        ...refer('policies', 'policy', (desired.policies ?? []) as string[]),
        ...refer('included_environments', 'environment', (desired.included_environments ?? []) as string[]),
      ]
    case 'trust-rule':
      return desired.flow_name === null ? [] : refer('flow_name', 'flow', [String(desired.flow_name)])
    case 'policy': {
      const parsed = parsePolicy(String(desired.policy_yaml))
      return parsed.ok ? refer('policy_yaml', 'control', listNamedControls(parsed.policy)) : []
    }
    default:
      return []
  }
}

function describeMissing(
  { field, kind, name }: Reference,
  { documents, current, removals }: Everything,
): string | undefined {
  const what = nameResource(kind, name)
  const written = documents.find(each => each.kind === kind && each.name === name)
  const known = current[kind]
  const found = known?.active.get(name)
  if (field === 'included_environments' && (written?.desired.type ?? found?.type) === 'logical')
    return `${name} is a logical environment, and those include only others`
  if (written !== undefined || known === undefined) return undefined
  if (removals.some(step => step.kind === kind && step.name === name)) return `${what} would be removed`
  // A policy may name an archived control.
  const isKnown = found !== undefined || (kind === 'control' && known.archived.has(name))
  return isKnown ? undefined : `${what} does not exist, and no document has it`
}
