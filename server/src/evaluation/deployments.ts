// Finds what each started artifact replaces, flow by flow, and builds the resulting deployments.
// domain/snapshot/replaced.ts decides; this file prepares its input and keeps its result.
import {
  buildCompareUrl,
  computeLeadTime,
  type EarlierRun,
  findReplaced,
} from '../domain/snapshot/replaced.ts'
import type { RunningArtifact } from '../domain/snapshot/reported.ts'
import type { Ids } from '../lib/ids.ts'
import type { EarlierDeployment, NewDeployment, Slot } from './deployments-store.ts'
import type { EvaluatedFlow } from './evaluate-artifacts.ts'

/**
 * The stored part of `deployment_diff`; whether the earlier artifact is still running depends on the snapshot that is
 * read.
 */
export interface Replaced {
  flow_id: string
  diff_url: string | null
  previous_git_commit: string | null
  previous_git_commit_url: string | null
  previous_fingerprint: string
  previous_artifact_name: string
  previous_artifact_compliance_state: string
  previous_trail_name: string | null
  previous_template_reference_name: string | null
}

export interface StartingArtifact {
  artifact: RunningArtifact
  flows: readonly EvaluatedFlow[]
}

export function listSlots(starting: readonly StartingArtifact[]): Slot[] {
  return starting.flatMap(({ artifact, flows }) =>
    flows.map(flow => ({
      artifact_key: artifact.artifact_key,
      flow_id: flow.flow_id,
      template_reference_name: flow.template_reference_name ?? '',
    })),
  )
}

/** Maps each artifact to what it replaces in each flow where it replaces something, in the order of its flows. */
export function findReplacedByArtifact(
  starting: readonly StartingArtifact[],
  earlier: readonly EarlierDeployment[],
  exiting: ReadonlySet<string>,
): Map<string, Replaced[]> {
  const bySlot = new Map<string, EarlierDeployment[]>()
  for (const row of earlier) {
    const key = `${row.artifact_key} ${row.flow_id}`
    const rows = bySlot.get(key)
    if (rows) rows.push(row)
    else bySlot.set(key, [row])
  }
  return new Map(
    starting.map(({ artifact, flows }) => [
      artifact.artifact_key,
      flows.flatMap(flow => {
        const rows = bySlot.get(`${artifact.artifact_key} ${flow.flow_id}`) ?? []
        return findReplacedInFlow(artifact, flow, rows, exiting)
      }),
    ]),
  )
}

function findReplacedInFlow(
  artifact: RunningArtifact,
  flow: EvaluatedFlow,
  earlier: readonly EarlierDeployment[],
  exiting: ReadonlySet<string>,
): Replaced[] {
  const { git_commit, commit_url, repo_id } = flow
  const current = {
    fingerprint: artifact.fingerprint,
    artifact_name: artifact.name,
    git_commit,
    commit_url,
    repo_key: repo_id,
  }
  const previous = findReplaced(
    current,
    earlier.map(row => toEarlierRun(row, exiting)),
  )
  if (!previous) return []
  return [
    {
      flow_id: flow.flow_id,
      diff_url: buildCompareUrl(previous, current),
      previous_git_commit: previous.git_commit,
      previous_git_commit_url: previous.commit_url,
      previous_fingerprint: previous.fingerprint,
      previous_artifact_name: previous.artifact_name,
      previous_artifact_compliance_state: previous.compliance_state,
      previous_trail_name: previous.trail_name,
      previous_template_reference_name: previous.template_reference_name,
    },
  ]
}

function toEarlierRun(row: EarlierDeployment, exiting: ReadonlySet<string>): EarlierRun {
  const exits_now = row.running_key !== null && exiting.has(row.running_key)
  return {
    fingerprint: row.fingerprint,
    artifact_name: row.artifact_name,
    git_commit: row.git_commit,
    commit_url: row.commit_url,
    repo_key: row.repo_id,
    trail_name: row.trail_name,
    template_reference_name: row.template_reference_name === '' ? null : row.template_reference_name,
    compliance_state: row.compliance_state ?? 'NON-COMPLIANT',
    snapshot_index: row.snapshot_index,
    is_running: row.running_key !== null && !exits_now,
    exits_now,
  }
}

/** Builds one deployment per flow that knows the artifact, in the order of its flows. */
export function buildDeployments(
  { artifact, flows }: StartingArtifact,
  replaced: readonly Replaced[],
  ids: Ids,
): NewDeployment[] {
  const common = {
    artifact_key: artifact.artifact_key,
    fingerprint: artifact.fingerprint,
    artifact_name: artifact.name,
  }
  return flows.map((flow, i) => ({
    ...common,
    deployment_id: ids.next(),
    is_primary: i === 0,
    flow_id: flow.flow_id,
    trail_id: flow.trail_id,
    artifact_id: flow.artifact_id,
    template_reference_name: flow.template_reference_name ?? '',
    git_commit: flow.git_commit,
    commit_url: flow.commit_url,
    repo_id: flow.repo_id,
    lead_time_seconds: computeLeadTime(
      artifact.instances.creation_timestamps,
      flow.git_commit_info?.timestamp ?? null,
    ),
    replaced: formatReplaced(replaced.find(({ flow_id }) => flow_id === flow.flow_id)),
  }))
}

function formatReplaced(replaced: Replaced | undefined): string | null {
  return replaced === undefined ? null : JSON.stringify(replaced)
}
