// GET /controls/{org}/{identifier}/environments/{env_name}: whether a control is met in an environment, with the evidence.
import { type Static, Type } from 'typebox'
import type { ControlOutcome } from '../../../domain/control/state.ts'
import { ruleDefinitions } from '../../../domain/policy/evaluate.ts'
import { requireEnvironment } from '../../environments/problems.ts'
import { defineOperation } from '../../operation.ts'
import { ArtifactName, FingerprintOrEmpty, FlowNameOrEmpty } from '../../shared/fields.ts'
import {
  buildLinkedEnvelope,
  LINKED_PAGE,
  Page,
  PerLinkedPage,
  readLinkedPageRequest,
  toSlice,
} from '../../shared/page.ts'
import { AllowListed, PolicyDecision, Reason } from '../../shared/verdict-wire.ts'
import { about, Closed } from '../../shared/wire.ts'
import { toDecision } from '../../snapshots/render.ts'
import { type AppliedPolicyRow, listAppliedPolicies } from '../../snapshots/store.ts'
import { noSuchControl } from '../problems.ts'
import { readControl } from '../store.ts'
import {
  findWaitingSince,
  listStateArtifacts,
  listStateCells,
  type StateArtifact,
  type StateCell,
} from './store.ts'
import { ControlCell, ControlEnvironmentPath, Outcome, toCounts, toState } from './wire.ts'

const ControlEvidence = Closed('ControlEvidence', {
  artifact_name: ArtifactName,
  fingerprint: FingerprintOrEmpty,
  flow_name: FlowNameOrEmpty,
  outcome: Outcome,
  allow_listed: AllowListed,
  policy_decisions: Type.Array(
    PolicyDecision,
    about('The policies that require the control, each with only its rules for it'),
  ),
  reasons: Type.Array(Reason, about('Why it fails the rules for the control; empty if it is allow-listed')),
})
type ControlEvidence = Static<typeof ControlEvidence>

export const getControlState = defineOperation(
  {
    id: 'getControlState',
    method: 'GET',
    path: '/controls/{org}/{identifier}/environments/{env_name}',
    tag: 'Controls',
    summary: 'Get whether a control is met in an environment',
    description:
      'The state of the control in the environment, and what runs there: failing artifacts first, then those whose ' +
      'decision has expired, those that were not evaluated, those that meet it and those to which it does not apply. Each has the rules for the control, with ' +
      'the attestations that meet or fail them.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: ControlEnvironmentPath,
    query: Closed('ControlStateQuery', {
      outcome: Type.Optional(
        Type.Unsafe<ControlOutcome>({ ...Outcome, description: 'Only artifacts with this outcome' }),
      ),
      page: Page,
      per_page: PerLinkedPage,
    }),
    returns: Closed('ControlStateEvidence', {
      identifier: Type.String(about('Identifier of the control', 'SDLC-7')),
      ...ControlCell.properties,
      artifacts: Type.Array(ControlEvidence, about('The artifacts of this page')),
      ...LINKED_PAGE,
    }),
    fails: [400, 403, 404],
    example: {
      params: { identifier: 'control-to-read' },
      query: { page: '1', per_page: '15', outcome: 'failing' },
    },
  },
  ({ params, query, org, url, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { identifier } = params
      const [environment, control] = await Promise.all([
        requireEnvironment(tx, org, params.env_name),
        readControl(tx, org.org_id, identifier),
      ])
      if (!control) throw noSuchControl(identifier, org.name)
      const { environment_id } = environment
      const page = readLinkedPageRequest(query)
      const filter = { outcome: query.outcome ?? null, ...toSlice(page) }
      const [[cell], rows, waiting_since] = await Promise.all([
        listStateCells(tx, org.org_id, [environment_id], [identifier]),
        listStateArtifacts(tx, org.org_id, { environment_id, identifier }, filter),
        findWaitingSince(tx, org.org_id, { environment_id, now }),
      ])
      const policies = await listAppliedPolicies(tx, org.org_id, listDistinctPolicies(rows))
      return {
        identifier,
        environment_name: environment.name,
        ...toState(cell, { ...environment, waiting_since }, now),
        artifacts: rows.map(row => toEvidence(row, identifier, policies)),
        ...buildLinkedEnvelope(url, query, page, countMatching(query.outcome, cell)),
      }
    }),
)

function countMatching(outcome: ControlOutcome | undefined, cell: StateCell | undefined): number {
  if (cell === undefined) return 0
  const counts = toCounts(cell)
  return outcome === undefined
    ? Object.values(counts).reduce((sum, artifacts) => sum + artifacts, 0)
    : counts[outcome]
}

function listDistinctPolicies(rows: readonly StateArtifact[]): { policy_id: string; version: number }[] {
  const all = rows.flatMap(({ evaluation }) =>
    evaluation.decisions.map(({ policy_id, policy_version: version }) => ({ policy_id, version })),
  )
  return [...new Map(all.map(one => [`${one.policy_id} ${one.version}`, one])).values()]
}

function toEvidence(
  { name, fingerprint, outcome, evaluation }: StateArtifact,
  identifier: string,
  policies: readonly AppliedPolicyRow[],
): ControlEvidence {
  const rules = new Map(
    policies.map(({ policy_id, version, parsed }) => [`${policy_id} ${version}`, ruleDefinitions(parsed)]),
  )
  const decisions = evaluation.decisions.map(decision => {
    const shown = toDecision(decision, rules)
    const rule_evaluations = shown.rule_evaluations.filter(
      ({ rule }) => rule.definition.for_control === identifier,
    )
    return { ...shown, rule_evaluations }
  })
  return {
    artifact_name: name,
    fingerprint,
    flow_name: evaluation.flows[0]?.flow_name ?? '',
    outcome: outcome as ControlOutcome,
    allow_listed: evaluation.allow_listed,
    policy_decisions: decisions.filter(({ rule_evaluations }) => rule_evaluations.length > 0),
    reasons: evaluation.reasons.filter(({ for_control }) => for_control === identifier),
  }
}
