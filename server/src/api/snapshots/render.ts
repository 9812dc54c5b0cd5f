// Converts the rows of a snapshot to the API schema, one artifact at a time, so a large snapshot can be streamed.
import { ruleDefinitions } from '../../domain/policy/evaluate.ts'
import type { Policy } from '../../domain/policy/policy.ts'
import { computeLeadTime } from '../../domain/snapshot/replaced.ts'
import { chooseTextOrder } from '../../domain/snapshot/text-order.ts'
import type { EvaluatedFlow, Evaluation, StoredDecision } from '../../evaluation/evaluate-artifacts.ts'
import { assert } from '../../lib/assert.ts'
import { toWireId } from '../../lib/ids.ts'
import type { PolicyDecision } from '../shared/verdict-wire.ts'
import type { AppliedPolicyRow, RunRow, SnapshotRows, VerdictRow } from './store.ts'
import type { AppliedPolicy, SnapshotArtifact } from './wire.ts'

export interface Site {
  base_url: string
  org: string
}

/** Shared by all artifacts of one snapshot. */
export interface RenderContext {
  site: Site
  /** The key is `policy_id version`. */
  rules: ReadonlyMap<string, ReturnType<typeof ruleDefinitions>>
  /** The running fingerprints, to tell whether a replaced artifact still runs. */
  running: ReadonlySet<string>
  environment_name?: string
}

export interface Row {
  run: RunRow
  verdict: VerdictRow | undefined
  annotation: SnapshotArtifact['annotation']
}

/** Combines the rows of each artifact, sorted by name. */
export function joinRows({ runs, verdicts, annotations }: SnapshotRows, is_new: boolean): Row[] {
  const verdictByKey = new Map(verdicts.map(row => [row.artifact_key, row]))
  const annotationByKey = new Map(annotations.map(row => [row.artifact_key, row]))
  const compare = chooseTextOrder(runs.flatMap(({ name, artifact_key }) => [name, artifact_key]))
  return runs
    .filter(run => is_new || !run.is_exit)
    .sort((a, b) => compare(a.name, b.name) || compare(a.artifact_key, b.artifact_key))
    .map(run => {
      const change = is_new ? annotationByKey.get(run.artifact_key) : undefined
      const annotation = change ? { type: change.type, was: change.was, now: change.now } : toUnchanged(run)
      return { run, verdict: verdictByKey.get(run.artifact_key), annotation }
    })
}

export function toUnchanged({ instance_count }: { instance_count: number }): Row['annotation'] {
  return { type: 'unchanged', was: instance_count, now: instance_count }
}

/** The fingerprints of the running artifacts. */
export function collectRunning(rows: readonly Row[]): Set<string> {
  return new Set(rows.filter(({ run }) => !run.is_exit).map(({ run }) => run.fingerprint))
}

export function buildRenderContext(
  site: Site,
  policies: readonly AppliedPolicyRow[],
  running: ReadonlySet<string>,
  environment_name?: string,
): RenderContext {
  return {
    site,
    rules: new Map(
      policies.map(({ policy_id, version, parsed }) => [`${policy_id} ${version}`, readRules(parsed)]),
    ),
    running,
    ...(environment_name === undefined ? {} : { environment_name }),
  }
}

function readRules(parsed: Policy): ReturnType<typeof ruleDefinitions> {
  try {
    return ruleDefinitions(parsed)
  } catch {
    // A corrupt record: the decisions are shown without the rules.
    return []
  }
}

const NOT_EVALUATED: Evaluation = { flows: [], decisions: [], reasons: [], allow_listed: null }

/** One corrupt record must not hide the others: it is shown as unreadable and non-compliant. */
export function toArtifactOrUnreadable(row: Row, context: RenderContext): SnapshotArtifact {
  try {
    return toArtifact(row, context)
  } catch {
    const { name, fingerprint } = row.run
    const instances = { creation_timestamps: [], ...NO_CONTEXT }
    const run = { ...row.run, instances, replaced: [] }
    const shown = toArtifact({ ...row, run, verdict: undefined }, context)
    const reason = { ...UNREADABLE, artifact_name: name, artifact_fingerprint: fingerprint }
    return { ...shown, compliance_state: 'NON-COMPLIANT', reasons_for_incompliance: [reason] }
  }
}

const UNEXPLAINED = {
  flows: [],
  policy_decisions: [],
  reasons_for_incompliance: [],
  deployment_diff: null,
  pods: null,
}

/** The artifact without the explanation of its verdict, which is most of a large snapshot. */
export function toCompactArtifact(row: Row, context: RenderContext): SnapshotArtifact {
  return { ...toArtifactOrUnreadable(shorten(row), context), ...UNEXPLAINED }
}

/** Removes the hidden parts before rendering. A corrupt record stays as it is, and is then detected. */
function shorten({ verdict, ...row }: Row): Row {
  const { flows, decisions, reasons } = verdict?.evaluation ?? {}
  if (!verdict || ![flows, decisions, reasons].every(Array.isArray)) return { ...row, verdict }
  // The first flow is shown in the fields of the artifact itself.
  const evaluation = { ...verdict.evaluation, flows: flows?.slice(0, 1) ?? [], decisions: [], reasons: [] }
  return { ...row, verdict: { ...verdict, evaluation } }
}

const NO_CONTEXT = {
  pods: null,
  container_task_context: null,
  serverless_run_context: null,
  app_context: null,
}

const UNREADABLE = {
  type: 'unreadable_record',
  description: 'The stored record of this artifact in this snapshot cannot be read',
  policy_name: '',
  policy_version: 0,
  rule: 'provenance' as const,
  flow_name: null,
  trail_name: null,
  attestation_name: null,
  attestation_type: null,
  for_control: null,
  expected: 'a readable record',
  found: 'a corrupt record',
  remedy: 'Restore it from a backup; `admin check` finds such records',
}

function toArtifact({ run, verdict, annotation }: Row, context: RenderContext): SnapshotArtifact {
  const compliant = verdict?.compliant ?? null
  const evaluation = verdict?.evaluation ?? NOT_EVALUATED
  const flows = evaluation.flows.map(flow => toFlow(flow, run, context))
  const [first] = flows
  const { instances } = run
  assert(Array.isArray(instances.creation_timestamps), 'a run has the start times of its instances')
  return {
    name: run.name,
    fingerprint: run.fingerprint,
    ...(context.environment_name === undefined ? {} : { environment_name: context.environment_name }),
    compliant: compliant === true,
    compliance_state: compliant === null ? 'UNKNOWN' : compliant ? 'COMPLIANT' : 'NON-COMPLIANT',
    creationTimestamp: instances.creation_timestamps,
    annotation,
    flow_name: first?.flow_name ?? '',
    git_commit: first?.git_commit ?? '',
    commit_url: first?.commit_url ?? '',
    html_url: first?.html_url ?? '',
    flow_html_url: first?.flow_html_url ?? '',
    commit_lead_time: first?.commit_lead_time ?? null,
    deployment_diff: first?.deployment_diff ?? null,
    deployments: [],
    flows,
    policy_decisions: evaluation.decisions.map(decision => toDecision(decision, context.rules)),
    reasons_for_incompliance: evaluation.reasons,
    allow_listed: evaluation.allow_listed,
    pods: instances.pods,
    container_task_context: instances.container_task_context,
    serverless_run_context: instances.serverless_run_context,
    app_context: instances.app_context,
    alternate_digests: instances.alternate_digests ?? [],
  }
}

function toFlow(
  flow: EvaluatedFlow,
  run: RunRow,
  { site, running }: RenderContext,
): SnapshotArtifact['flows'][number] {
  const root = `${site.base_url}/${encodeURIComponent(site.org)}/flows/${encodeURIComponent(flow.flow_name)}`
  const replaced = run.replaced.find(({ flow_id }) => flow_id === flow.flow_id)
  const artifact_query = flow.trail_id === null ? '' : `?artifact_id=${toWireId(flow.artifact_id)}`
  return {
    flow_name: flow.flow_name,
    trail_name: flow.trail_name,
    template_reference_name: flow.template_reference_name,
    git_commit: flow.git_commit ?? '',
    commit_url: flow.commit_url ?? '',
    git_commit_info: flow.git_commit_info,
    html_url: `${root}/artifacts/${flow.fingerprint ?? run.fingerprint}${artifact_query}`,
    flow_html_url: root,
    annotations: flow.annotations,
    deployment_diff: replaced ? toDiff(replaced, running) : null,
    commit_lead_time: computeLeadTime(
      run.instances.creation_timestamps,
      flow.git_commit_info?.timestamp ?? null,
    ),
    artifact_compliance_in_flow: flow.artifact_state === 'COMPLIANT',
    flow_reasons_for_non_compliance: listFlowReasons(flow, run.name),
  }
}

function toDiff({ flow_id, ...shown }: RunRow['replaced'][number], running: ReadonlySet<string>) {
  return { ...shown, previous_running: running.has(shown.previous_fingerprint) }
}

function listFlowReasons(flow: EvaluatedFlow, artifact_name: string) {
  if (flow.artifact_state === 'COMPLIANT') return []
  const { flow_name, trail_name, artifact_state } = flow
  const where = trail_name === null ? `flow '${flow_name}'` : `trail '${trail_name}' of flow '${flow_name}'`
  return [
    {
      type: artifact_state === 'INCOMPLETE' ? 'evidence_missing' : 'non_compliant_in_trail',
      description: `Artifact '${artifact_name}' is ${artifact_state} in ${where}`,
      flow_name,
      trail_name,
      expected: 'COMPLIANT',
      found: artifact_state,
    },
  ]
}

export function toDecision(decision: StoredDecision, rules: RenderContext['rules']): PolicyDecision {
  const { policy_id, policy_name, policy_version, status } = decision
  const definitions = rules.get(`${policy_id} ${policy_version}`) ?? []
  return {
    policy_name,
    policy_version,
    status,
    rule_evaluations: decision.rules.flatMap(({ satisfied, ignored, resolutions }, i) => {
      const rule = definitions[i]
      return rule
        ? [{ rule: { ...rule, definition: { ...rule.definition } }, satisfied, ignored, resolutions }]
        : []
    }),
  }
}

export function toAppliedPolicies(
  policies: readonly AppliedPolicyRow[],
  rows: readonly Row[],
): AppliedPolicy[] {
  return policies.map(({ policy_id, name, version, parsed }) => ({
    id: toWireId(policy_id),
    name,
    version,
    policy_dump: toDump(parsed),
    failing_artifacts: rows.flatMap(({ run, verdict }) =>
      !run.is_exit && verdict?.compliant === false && hasFailedPolicy(verdict, policy_id)
        ? [run.fingerprint === '' ? run.name : run.fingerprint]
        : [],
    ),
  }))
}

function hasFailedPolicy({ evaluation }: VerdictRow, policy_id: string): boolean {
  // A corrupt record may have no decisions.
  return (evaluation.decisions ?? []).some(
    decision => decision.policy_id === policy_id && decision.status === 'NON-COMPLIANT',
  )
}

function toDump(parsed: Policy): Record<string, unknown> {
  return { ...parsed }
}
