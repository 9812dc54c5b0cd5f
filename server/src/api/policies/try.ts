// POST /policies/{org}/{name}/try and POST /policies/{org}/try: computes which verdicts a draft would change, and why.
// Nothing is stored. Large snapshots are evaluated in batches, each with its own transaction.
import { createHash } from 'node:crypto'
import { parsePolicy } from '../../domain/policy/parse.ts'
import type { Policy } from '../../domain/policy/policy.ts'
import { computeEnvironmentState } from '../../domain/snapshot/compliance.ts'
import { compareText } from '../../domain/snapshot/text-order.ts'
import {
  type ArtifactEvaluation,
  type ArtifactToEvaluate,
  evaluateArtifacts,
  listFingerprints,
} from '../../evaluation/evaluate-artifacts.ts'
import type { FactsOfSnapshot } from '../../evaluation/kept-facts.ts'
import { findKnownFlows } from '../../evaluation/known-flows-store.ts'
import type { AttachedPolicy } from '../../evaluation/rules-store.ts'
import { invalid } from '../../lib/errors.ts'
import { type CallerOrg, type Deps, defineOperation } from '../operation.ts'
import { noSuchPolicy } from '../shared/policy-problems.ts'
import { readYaml, refuseUnknownControls } from './save.ts'
import { findPolicyToTry, listArtifactsAt, readLogPosition } from './try-store.ts'
import { listTargets, type TryTarget } from './try-targets.ts'
import { type Flip, PolicyTried, PolicyTry, type Summary, type Target } from './try-wire.ts'
import { listPolicyWarnings } from './warnings.ts'
import { PoliciesPath, PolicyPath } from './wire.ts'

const BATCH_SIZE = 1_000
const MAX_FLIPS = 1_000
const MAX_TOTAL_FLIPS = 5_000
const DRAFT_NAME = 'draft'

const DESCRIPTION =
  'Evaluates the artifacts of each snapshot twice, without and with the draft, by the current evidence, attached policies ' +
  'and allow-list. Returns the verdicts that differ. Nothing is stored. A logical environment stands for its members. At ' +
  'most 50 snapshots with 100000 artifacts in total.'

export const tryPolicy = defineOperation(
  {
    id: 'tryPolicy',
    method: 'POST',
    path: '/policies/{org}/{name}/try',
    tag: 'Policies',
    summary: 'Try a new version of a policy',
    description: `${DESCRIPTION} Defaults to the latest snapshot of every environment that the policy is attached to. The draft replaces the policy where it is attached, and is added elsewhere`,
    access: 'reader',
    audit: 'none: computes',
    params: PolicyPath,
    body: PolicyTry,
    returns: PolicyTried,
    fails: [400, 403, 404],
    example: {
      params: { name: 'policy-to-try' },
      body: {
        policy_yaml: '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n',
        environments: ['environment-to-try'],
        snapshots: ['environment-to-try~0'],
      },
    },
  },
  ({ params, body, org, now }, deps) => tryText(deps, org, body, { name: params.name, now }),
)

export const tryNewPolicy = defineOperation(
  {
    id: 'tryNewPolicy',
    method: 'POST',
    path: '/policies/{org}/try',
    tag: 'Policies',
    summary: 'Try a new policy',
    description: `${DESCRIPTION} Defaults to the latest snapshot of every physical environment. The draft is added to the attached policies, under the name \`${DRAFT_NAME}\``,
    access: 'reader',
    audit: 'none: computes',
    params: PoliciesPath,
    body: PolicyTry,
    returns: PolicyTried,
    fails: [400, 403, 404],
    example: {
      body: {
        policy_yaml: '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n',
        environments: ['environment-to-try'],
      },
    },
  },
  ({ body, org, now }, deps) => tryText(deps, org, body, { name: null, now }),
)

async function tryText(
  deps: Deps,
  org: CallerOrg,
  body: PolicyTry,
  { name, now }: { name: string | null; now: Date },
): Promise<PolicyTried> {
  const policy_yaml = readYaml(body, undefined, 'policy_yaml')
  const read = parsePolicy(policy_yaml)
  if (!read.ok) throw invalid(read.errors)
  const { draft, replaced, targets, warnings, log_position } = await deps.db.withTransaction(
    { org_id: org.org_id },
    async tx => {
      const log_position = await readLogPosition(tx, org.org_id)
      await refuseUnknownControls(tx, org, read.policy)
      const stored = name === null ? undefined : await findPolicyToTry(tx, org.org_id, name)
      if (name !== null && !stored) throw noSuchPolicy(name, org.name)
      const policy_id = stored?.policy_id ?? null
      return {
        draft: buildDraft(policy_yaml, read.policy, { name, version: computeVersion(stored, policy_yaml) }),
        replaced: policy_id,
        targets: await listTargets(tx, org, body, { policy_id, now }),
        warnings: await listPolicyWarnings(tx, org.org_id, read.policy),
        log_position,
      }
    },
  )
  const tried: Target[] = []
  let remaining = MAX_TOTAL_FLIPS
  const summary = { reds: 0, greens: 0 }
  for (const target of targets) {
    const after = applyDraft(target.policies, draft, replaced)
    const max_flips = Math.min(remaining, MAX_FLIPS)
    const located = { org_id: org.org_id, log_position, now, ...target }
    const comparison = await tryOn(deps, located, after, max_flips)
    remaining -= comparison.shown.flips.length
    summary.reds += comparison.reds
    summary.greens += comparison.greens
    tried.push(comparison.shown)
  }
  return {
    policy_name: draft.name,
    targets: tried,
    summary: buildSummary(tried, summary),
    warnings,
  }
}

/** A text that is already stored makes no new version: trying it shows what attaching it would change. */
function computeVersion(
  stored: { latest_version: number; latest_yaml: string | null } | undefined,
  policy_yaml: string,
): number {
  if (stored === undefined) return 1
  return stored.latest_yaml === policy_yaml ? stored.latest_version : stored.latest_version + 1
}

/** The id contains a hash of the text, so caches keyed by policy id never mix up drafts. */
function buildDraft(
  policy_yaml: string,
  parsed: Policy,
  { name, version }: { name: string | null; version: number },
): AttachedPolicy {
  const sha256 = createHash('sha256').update(policy_yaml).digest('hex')
  return { policy_id: `draft ${sha256}`, name: name ?? DRAFT_NAME, version, parsed }
}

function applyDraft(
  policies: readonly AttachedPolicy[],
  draft: AttachedPolicy,
  replaced: string | null,
): AttachedPolicy[] {
  const isAttached = policies.some(({ policy_id }) => policy_id === replaced)
  if (!isAttached) return [...policies, draft]
  return policies.map(policy => (policy.policy_id === replaced ? draft : policy))
}

interface Comparison {
  shown: Target
  reds: number
  greens: number
}

interface LocatedTarget extends TryTarget {
  org_id: string
  log_position: string | undefined
  now: Date
}

async function tryOn(
  deps: Deps,
  target: LocatedTarget,
  after: readonly AttachedPolicy[],
  max_flips: number,
): Promise<Comparison> {
  const { environment_name, snapshot_index, policies, allow_list, now } = target
  const { compiled_policies } = deps
  const comparison = startComparison({ environment_name, snapshot_index })
  for await (const { artifacts, known } of readFacts(deps, target)) {
    const inputs = { policies, allow_list, known, now }
    const without = await evaluateArtifacts(artifacts, inputs, compiled_policies)
    const drafted = { ...inputs, policies: after }
    const withDraft = await evaluateArtifacts(artifacts, drafted, compiled_policies)
    for (const [i, artifact] of artifacts.entries())
      addArtifact(comparison, artifact, without[i], withDraft[i], max_flips)
  }
  const { shown } = comparison
  shown.compliant_before = computeEnvironmentState(listVerdicts(shown.counts_before), policies.length > 0)
  shown.compliant_after = computeEnvironmentState(listVerdicts(shown.counts_after), true) === true
  return comparison
}

/** In batches, sorted by name. For a snapshot with only one batch, the facts are kept for the next draft. */
async function* readFacts({ db, kept_facts }: Deps, target: LocatedTarget): AsyncGenerator<FactsOfSnapshot> {
  const { org_id, log_position } = target
  const key = log_position === undefined ? undefined : { ...target, log_position }
  const kept = key && kept_facts.find(key)
  if (kept) {
    yield kept
    return
  }
  const ran = await db.withTransaction({ org_id }, tx => listArtifactsAt(tx, org_id, target))
  ran.sort((a, b) => compareText(a.name, b.name) || compareText(a.artifact_key, b.artifact_key))
  for (let from = 0; from < ran.length; from += BATCH_SIZE) {
    const artifacts = ran.slice(from, from + BATCH_SIZE)
    const known = await db.withTransaction({ org_id }, tx =>
      findKnownFlows(tx, org_id, listFingerprints(artifacts)),
    )
    if (key && ran.length <= BATCH_SIZE) kept_facts.keep(key, { artifacts, known })
    yield { artifacts, known }
  }
}

function startComparison(named: Pick<Target, 'environment_name' | 'snapshot_index'>): Comparison {
  const shown: Target = {
    ...named,
    artifacts: 0,
    compliant_before: null,
    compliant_after: true,
    counts_before: { true: 0, false: 0, null: 0 },
    counts_after: { true: 0, false: 0, null: 0 },
    flips_total: 0,
    flips: [],
  }
  return { shown, reds: 0, greens: 0 }
}

function addArtifact(
  comparison: Comparison,
  { name, fingerprint }: ArtifactToEvaluate,
  before: ArtifactEvaluation | undefined,
  after: ArtifactEvaluation | undefined,
  max_flips: number,
): void {
  const { shown } = comparison
  shown.artifacts += 1
  const compliant_before = before?.compliant ?? null
  const compliant_after = after?.compliant ?? null
  shown.counts_before[`${compliant_before}`] += 1
  shown.counts_after[`${compliant_after}`] += 1
  if (compliant_before === compliant_after) return
  shown.flips_total += 1
  if (compliant_after) comparison.greens += 1
  else comparison.reds += 1
  if (shown.flips.length >= max_flips) return
  const flip: Flip = {
    artifact_name: name,
    artifact_fingerprint: fingerprint,
    compliant_before,
    compliant_after,
    reasons_before: before?.evaluation.reasons ?? [],
    reasons_after: after?.evaluation.reasons ?? [],
  }
  shown.flips.push(flip)
}

/** The distinct verdicts. */
function listVerdicts(counts: Target['counts_before']): (boolean | null)[] {
  return [
    ...(counts.true > 0 ? [true] : []),
    ...(counts.false > 0 ? [false] : []),
    ...(counts.null > 0 ? [null] : []),
  ]
}

function buildSummary(tried: readonly Target[], { reds, greens }: { reds: number; greens: number }): Summary {
  const countTurning = (after: boolean) =>
    new Set(
      tried
        .filter(target => target.compliant_after === after && target.compliant_before !== after)
        .map(({ environment_name }) => environment_name),
    ).size
  return {
    environments_that_would_turn_red: countTurning(false),
    environments_that_would_turn_green: countTurning(true),
    artifacts_that_would_turn_red: reds,
    artifacts_that_would_turn_green: greens,
  }
}
