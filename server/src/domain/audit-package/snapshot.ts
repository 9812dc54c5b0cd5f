// Compares a snapshot in an audit package with its leaf: the snapshot itself, the artifacts that ran, and the policies
// that were in force, whose texts have leaves of their own.
import { toKnownId } from '../log/body.ts'
import { parsePolicy } from '../policy/parse.ts'
import { type Comparison, compareFields, isSame, OPERATOR_ONLY, toSeconds } from './comparison.ts'
import type { ProvenLeaf } from './proven-leaf.ts'
import { parseValues, toList, toValues, type Values } from './records.ts'

/** Every environment has a snapshot 1. */
export function findLeafOfSnapshot(
  { environment_id, index }: Values,
  leaves: readonly ProvenLeaf[],
): ProvenLeaf | undefined {
  return leaves.findLast(
    ({ kind, data, ids }) =>
      kind === 'snapshot_taken' && data.snapshot_index === index && ids.environment === environment_id,
  )
}

export function compareSnapshot(record: Values, leaf: ProvenLeaf, leaves: readonly ProvenLeaf[]): Comparison {
  const { data, ids } = leaf
  const head = readHead(leaf)
  const known = {
    environment_id: ids.environment,
    index: data.snapshot_index,
    is_partial: data.is_partial ?? false,
    observed_at: data.observed_at ?? null,
    timestamp: toSeconds(leaf.happened_at),
    // The name may have changed since.
    ...(record.environment_name === data.environment_name && { environment_name: data.environment_name }),
  }
  if (!head) return compareFields(record, known, leaf)
  const { cause, compliant, compliant_count, non_compliant_count, unknown_count } = head
  // The verdict of an environment that became silent later is not of the snapshot.
  const verdict = record.is_stale === true ? {} : { state: compliant, compliant: compliant === true }
  const counts = { true: compliant_count, false: non_compliant_count, null: unknown_count }
  const reported_by = cause === 'report' ? head.actor : null
  const of_state = { timestamp: head.created_at, cause, reported_by, artifact_compliance_count: counts }
  const { applied_policies, ...others } = record
  const compared = compareFields(others, { ...known, ...of_state, ...verdict }, leaf)
  return join([compared, compareApplied(toList(applied_policies), { leaf, head }, leaves)])
}

/** Undefined if the content of the leaf is not in the package. */
function readHead({ contents }: ProvenLeaf): Values | undefined {
  const state = contents.get('state')
  return parseValues(state?.slice(0, state.indexOf('\n')))
}

const join = (all: readonly Comparison[]): Comparison => ({
  proved_by: [...new Set(all.flatMap(each => each.proved_by))],
  operator_only: [...new Set(all.flatMap(each => each.operator_only))],
  contradicted: [...new Set(all.flatMap(each => each.contradicted))],
})

function compareApplied(
  shown: readonly Values[],
  { leaf, head }: { leaf: ProvenLeaf; head: Values },
  leaves: readonly ProvenLeaf[],
): Comparison {
  // The policies of a logical environment are in the snapshots of its members.
  if (toList(head.members).length > 0) return { ...OPERATOR_ONLY, operator_only: ['applied_policies'] }
  const recorded = toList(head.applied_policies).map(
    ({ policy_id, version }) => `${toKnownId(String(policy_id))} ${version}`,
  )
  const said = shown.map(({ id, version }) => `${id} ${version}`)
  const isRecorded = isSame(said.toSorted(), recorded.toSorted())
  const of_policies = shown.map(policy => compareAppliedPolicy(policy, leaves))
  return join([
    { proved_by: [leaf.index], operator_only: [], contradicted: isRecorded ? [] : ['applied_policies'] },
    ...of_policies.map(({ proved_by, operator_only, contradicted }) => ({
      proved_by,
      operator_only: operator_only.map(toApplied),
      contradicted: contradicted.map(toApplied),
    })),
  ])
}

const toApplied = (field: string): string => `applied_policies.${field}`

function compareAppliedPolicy(policy: Values, leaves: readonly ProvenLeaf[]): Comparison {
  const { id, version, policy_dump } = policy
  const unproved = ['name', 'policy_dump', 'failing_artifacts']
  const leaf = leaves.find(each => isLeafOfVersion(each, { id, version }))
  if (!leaf) return { ...OPERATOR_ONLY, operator_only: unproved }
  const parsed = parsePolicy(leaf.contents.get('policy_yaml') ?? '')
  const proven = {
    id: leaf.ids.policy,
    version: leaf.data.version,
    name: leaf.data.policy_name,
    // Another version may read the text in another way.
    ...(parsed.ok && isSame(parsed.policy, policy_dump) && { policy_dump }),
  }
  return compareFields(policy, proven, leaf)
}

function isLeafOfVersion({ kind, ids, data }: ProvenLeaf, { id, version }: Values): boolean {
  return /^policy_(created|updated)$/.test(kind) && ids.policy === id && data.version === version
}

interface Running {
  instances: number
  verdict: string | undefined
}

const VERDICTS: Readonly<Record<string, string>> = { C: 'COMPLIANT', N: 'NON-COMPLIANT', U: 'UNKNOWN' }

/** By key. Undefined if the leaf does not say: the artifacts of a logical environment run in its members. */
function readRunning(leaf: ProvenLeaf): Map<string, Running> | undefined {
  const head = readHead(leaf)
  if (!head || toList(head.members).length > 0) return undefined
  const [, ...lines] = (leaf.contents.get('state') ?? '').split('\n').filter(line => line !== '')
  return new Map(
    lines.map(line => {
      const fields = line.split('\t')
      // A name may have a tab in it.
      const [instances, , verdict = ''] = fields.slice(-4)
      return [fields.slice(0, -4).join('\t'), { instances: Number(instances), verdict: VERDICTS[verdict] }]
    }),
  )
}

const toKey = ({ fingerprint, name }: Values): string =>
  fingerprint === '' ? `name:${name}` : String(fingerprint)

export const isRunningFile = (file: string): boolean => /^artifacts\//.test(file)

/** A file of artifacts of the snapshot of the leaf. */
export function compareRunning(records: readonly Values[], leaf: ProvenLeaf): Comparison {
  const running = readRunning(leaf)
  if (!running) return OPERATOR_ONLY
  return join(records.map(record => compareArtifact(record, running.get(toKey(record)), leaf)))
}

function compareArtifact(record: Values, running: Running | undefined, leaf: ProvenLeaf): Comparison {
  const { annotation, ...others } = record
  const { now } = toValues(annotation)
  if (!running) {
    const contradicted = now === 0 ? [] : [`artifact ${toKey(record)}`]
    return { ...OPERATOR_ONLY, operator_only: ['artifacts that exited'], contradicted }
  }
  const proven = {
    fingerprint: record.fingerprint,
    ...(record.fingerprint === '' && { name: record.name }),
    compliance_state: running.verdict,
    compliant: running.verdict === 'COMPLIANT',
  }
  const { contradicted, ...compared } = compareFields(others, proven, leaf)
  return {
    ...compared,
    operator_only: [
      ...compared.operator_only,
      ...(now === running.instances ? ['annotation.type', 'annotation.was'] : ['annotation']),
    ],
    contradicted: contradicted.map(field => `${field} of artifact ${toKey(record)}`),
  }
}

/** The running artifacts of the leaf that none of the files shows. */
export function countHidden(leaf: ProvenLeaf, shown: readonly Values[]): number {
  const keys = new Set(shown.map(toKey))
  return [...(readRunning(leaf)?.keys() ?? [])].filter(key => !keys.has(key)).length
}
