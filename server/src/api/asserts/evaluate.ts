// Evaluates now whether an artifact may be deployed, with the reasons, for assertions and for artifact badges.
import type { Db } from '../../db/database.ts'
import { ruleDefinitions } from '../../domain/policy/evaluate.ts'
import { isStale } from '../../domain/snapshot/staleness.ts'
import { findGateUnknownCause } from '../../domain/snapshot/unknown.ts'
import type { CompiledPolicies } from '../../evaluation/compiled-policies.ts'
import { type ArtifactEvaluation, evaluateArtifacts } from '../../evaluation/evaluate-artifacts.ts'
import { findKnownFlows, type KnownFlow } from '../../evaluation/known-flows-store.ts'
import { assert } from '../../lib/assert.ts'
import { notFound } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { requireEnvironment } from '../environments/problems.ts'
import { requireFlow } from '../flows/problems.ts'
import type { Deps, NamedOrg } from '../operation.ts'
import { ambiguousFingerprint } from '../shared/fingerprints.ts'
import { noSuchPolicy } from '../shared/policy-problems.ts'
import { toEpochOrNull } from '../shared/wire.ts'
import { toDecision } from '../snapshots/render.ts'
import { evaluateInFlow, type FlowStatus } from './flow-status.ts'
import * as store from './store.ts'
import type { Assertion, AssertReason } from './wire.ts'

export interface Requested {
  /** The first characters of the fingerprint. */
  prefix: string
  /** Null for all flows. */
  flow_name: string | null
  /** Either an environment or names of policies. */
  environment_name: string | undefined
  policy_names: readonly string[]
}

export async function evaluateAssertion(
  tx: Db,
  org: NamedOrg,
  { prefix, flow_name, environment_name, policy_names }: Requested,
  { now, compiled_policies, base_url }: Pick<Deps, 'compiled_policies' | 'base_url'> & { now: Date },
): Promise<Assertion> {
  const flow_id = flow_name === null ? null : await requireFlow(tx, org, flow_name)
  const criteria =
    environment_name === undefined
      ? await readPolicyCriteria(tx, org, policy_names)
      : await readEnvironmentCriteria(tx, org, environment_name, prefix, now)
  const artifact = await requireArtifact(tx, org, { prefix, flow_id, flow_name }, criteria)
  const known = await listFlowsOfArtifact(tx, org, artifact, flow_id)
  const statuses = await evaluateFlows(tx, org, known, artifact)
  const verdict =
    criteria.scope === 'flow'
      ? computeFlowVerdict(statuses)
      : await computePolicyVerdict(criteria, artifact, known, { compiled_policies, now })
  const unknown_because = findGateUnknownCause({
    compliant: verdict.compliant,
    is_checked: isCheckedEverywhere(criteria, artifact),
    environment_is_stale: criteria.environment?.environment_is_stale === true,
  })
  return {
    scope: criteria.scope,
    ...criteria.environment,
    unknown_because,
    artifact_name: artifact.filename,
    artifact_fingerprint: artifact.fingerprint,
    ...verdict,
    flows: statuses.map(({ shown }) => shown),
    html_url: buildHtmlUrl(known[0], artifact, criteria, `${base_url}/${encodeURIComponent(org.name)}`),
  }
}

/** The criteria for evaluating the artifact. */
interface Criteria {
  scope: Assertion['scope']
  environment?: Required<Pick<Assertion, 'environment' | 'environment_is_stale' | 'environment_is_partial'>>
  /** How many environments must allow the artifact: the members of a logical one. */
  environment_count: number
  policies: readonly store.PolicyToEvaluate[]
  allowances: readonly store.Allowance[]
}

async function readPolicyCriteria(tx: Db, org: NamedOrg, names: readonly string[]): Promise<Criteria> {
  if (names.length === 0) return { scope: 'flow', environment_count: 0, policies: [], allowances: [] }
  const policies = await store.listPoliciesByName(tx, org.org_id, names)
  const unknown = names.find(name => !policies.some(policy => policy.name === name))
  if (unknown !== undefined) throw noSuchPolicy(unknown, org.name)
  return { scope: 'policy', environment_count: 0, policies, allowances: [] }
}

async function readEnvironmentCriteria(
  tx: Db,
  org: NamedOrg,
  env_name: string,
  prefix: string,
  now: Date,
): Promise<Criteria> {
  const found = await requireEnvironment(tx, org, env_name)
  const { environment_id, name, type, stale_at, partial_since, included_environments } = found
  const [policies, allowances] = await Promise.all([
    store.listAttachedPolicies(tx, org.org_id, environment_id),
    store.listAllowances(tx, org.org_id, { environment_id, prefix, now }),
  ])
  const environment = {
    environment: name,
    environment_is_stale: isStale(stale_at, now),
    environment_is_partial: partial_since !== null,
  }
  const environment_count = type === 'logical' ? included_environments.length : 1
  return { scope: 'environment', environment, environment_count, policies, allowances }
}

/** Whether every environment has policies, or an allow-list entry for the artifact. */
function isCheckedEverywhere(
  { scope, environment_count, policies, allowances }: Criteria,
  { fingerprint }: store.Candidate,
): boolean {
  const entries = allowances.filter(entry => entry.fingerprint === fingerprint)
  const checked = new Set([...policies, ...entries].map(({ environment_id }) => environment_id))
  return scope !== 'environment' || (environment_count > 0 && checked.size === environment_count)
}

/** The one matching artifact. An allow-listed artifact does not have to be in a flow, unless a flow is requested. */
async function requireArtifact(
  tx: Db,
  org: NamedOrg,
  requested: { prefix: string; flow_id: string | null; flow_name: string | null },
  { allowances }: Criteria,
): Promise<store.Candidate> {
  const { prefix, flow_id, flow_name } = requested
  const found = await store.listCandidates(tx, org.org_id, { prefix, flow_id })
  const listed = flow_name === null ? allowances : []
  const candidates = new Map([
    ...listed.map(({ fingerprint, artifact_name }): [string, store.Candidate] => [
      fingerprint,
      { fingerprint, filename: artifact_name },
    ]),
    ...found.map((artifact): [string, store.Candidate] => [artifact.fingerprint, artifact]),
  ])
  if (candidates.size > 1) throw ambiguousFingerprint(prefix, candidates.size)
  const [artifact] = candidates.values()
  if (artifact) return artifact
  const where = flow_name === null ? 'organization' : `flow '${flow_name}' belonging to organization`
  throw notFound(`Artifact with fingerprint '${prefix}' does not exist in ${where} '${org.name}'`)
}

async function listFlowsOfArtifact(
  tx: Db,
  org: NamedOrg,
  { fingerprint }: store.Candidate,
  flow_id: string | null,
): Promise<KnownFlow[]> {
  const known = (await findKnownFlows(tx, org.org_id, [fingerprint])).get(fingerprint) ?? []
  return flow_id === null ? known : known.filter(flow => flow.flow_id === flow_id)
}

async function evaluateFlows(
  tx: Db,
  org: NamedOrg,
  known: readonly KnownFlow[],
  artifact: store.Candidate,
): Promise<FlowStatus[]> {
  const subjects = known.flatMap(({ trail_id, artifact_id }) =>
    trail_id === null ? [] : [{ trail_id, artifact_id }],
  )
  const trails = await store.listTrailsWithEvidence(tx, org.org_id, subjects)
  return known.map(flow => evaluateInFlow(flow, trails.get(flow.trail_id ?? ''), artifact))
}

type Verdict = Pick<Assertion, 'compliant' | 'policy_evaluations' | 'reasons' | 'allow_listed'>

function computeFlowVerdict(statuses: readonly FlowStatus[]): Verdict {
  return {
    compliant: statuses.every(({ is_compliant }) => is_compliant),
    policy_evaluations: [],
    reasons: statuses.flatMap(({ reasons }) => reasons),
    allow_listed: null,
  }
}

/** Evaluates each policy once, wherever it is attached. It does not block where the artifact is allow-listed. */
async function computePolicyVerdict(
  { policies, allowances }: Criteria,
  { fingerprint, filename }: store.Candidate,
  known: readonly KnownFlow[],
  { compiled_policies, now }: { compiled_policies: CompiledPolicies; now: Date },
): Promise<Verdict> {
  const distinct = [...new Map(policies.map(policy => [policy.policy_id, policy])).values()]
  const [evaluated] = await evaluateArtifacts(
    [{ artifact_key: fingerprint, fingerprint, name: filename, alternates: [] }],
    {
      policies: distinct,
      allow_list: new Map(),
      known: new Map([[fingerprint, known]]),
      now,
    },
    compiled_policies,
  )
  assert(evaluated, 'one artifact has one verdict')
  const { decisions, reasons } = evaluated.evaluation
  const entries = allowances.filter(entry => entry.fingerprint === fingerprint)
  const blocking = listBlockingPolicies(policies, entries, evaluated)
  const rules = new Map(
    distinct.map(({ policy_id, version, parsed }) => [`${policy_id} ${version}`, ruleDefinitions(parsed)]),
  )
  return {
    compliant: blocking.size === 0,
    policy_evaluations: decisions.map(decision => toDecision(decision, rules)),
    reasons: reasons.filter(({ policy_name }): boolean => blocking.has(policy_name)) as AssertReason[],
    allow_listed: findCoveringEntry(policies, entries),
  }
}

/** Names of the policies that fail in an environment where the artifact is not allow-listed. */
function listBlockingPolicies(
  policies: readonly store.PolicyToEvaluate[],
  entries: readonly store.Allowance[],
  { evaluation }: ArtifactEvaluation,
): Set<string> {
  const failing = new Set(
    evaluation.decisions.flatMap(({ policy_id, status }) => (status === 'COMPLIANT' ? [] : [policy_id])),
  )
  return new Set(
    policies
      .filter(
        ({ policy_id, environment_id }) => failing.has(policy_id) && !isAllowed(environment_id, entries),
      )
      .map(({ name }) => name),
  )
}

function isAllowed(environment_id: string | null, entries: readonly store.Allowance[]): boolean {
  return entries.some(entry => entry.environment_id === environment_id)
}

/** Every environment with policies must have an entry. */
function findCoveringEntry(
  policies: readonly store.PolicyToEvaluate[],
  entries: readonly store.Allowance[],
): Assertion['allow_listed'] {
  const [first] = entries
  if (!first || !policies.every(({ environment_id }) => isAllowed(environment_id, entries))) return null
  const { description, created_by, expires_at } = first
  return { description, created_by, expires_at: toEpochOrNull(expires_at) }
}

/** The page of the artifact in its first flow, or the page of the environment if it is in no flow. */
function buildHtmlUrl(
  first: KnownFlow | undefined,
  { fingerprint }: store.Candidate,
  { environment }: Criteria,
  root: string,
): string {
  if (!first) return `${root}/environments/${encodeURIComponent(environment?.environment ?? '')}`
  const page = `${root}/flows/${encodeURIComponent(first.flow_name)}/artifacts/${fingerprint}`
  return first.trail_id === null ? page : `${page}?artifact_id=${toWireId(first.artifact_id)}`
}
