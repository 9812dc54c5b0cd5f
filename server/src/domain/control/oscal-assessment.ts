// OSCAL assessment results for a period: every decision is an observation, every control a finding. A control is
// satisfied if it has decisions in the period and the latest decision in every flow is compliant and did not expire in it.
import { computeCoveragePercent } from './coverage.ts'
import {
  buildMetadata,
  buildOwnProperty,
  computeUuid,
  type OscalMetadata,
  type OscalProperty,
  toSingleLine,
  toStatementId,
  toToken,
} from './oscal.ts'

export interface AssessedControl {
  identifier: string
  name: string
  version: number
  archived: boolean
  /** The number of environments with a policy that requires decisions on the control. */
  environments_covered: number
}

export interface AssessedDecision {
  decision_id: string
  control: string
  control_version: number | null
  attestation_name: string
  flow_name: string
  trail_name: string
  artifact_fingerprint: string | null
  artifact_name: string | null
  is_compliant: boolean
  reported_by: string
  created_at: Date
  /** Null if it never expires. */
  expires_at: Date | null
  /** The page of the decision. */
  href: string
}

export interface Assessment {
  org: string
  from: Date
  to: Date
  now: Date
  controls: readonly AssessedControl[]
  /** Decisions of the period, oldest first. */
  decisions: readonly AssessedDecision[]
  environments: number
}

export interface OscalObservation {
  uuid: string
  title: string
  description: string
  props: OscalProperty[]
  methods: ['EXAMINE']
  types: ['control-objective']
  subjects: { 'subject-uuid': string; type: 'inventory-item'; title: string }[]
  'relevant-evidence': { href: string; description: string }[]
  collected: string
  expires?: string
}

export interface OscalFinding {
  uuid: string
  title: string
  description: string
  props: OscalProperty[]
  target: {
    type: 'statement-id'
    'target-id': string
    status: { state: 'satisfied' | 'not-satisfied'; reason: 'pass' | 'fail' | 'other'; remarks: string }
  }
  'related-observations'?: { 'observation-uuid': string }[]
}

interface InventoryItem {
  uuid: string
  description: string
  props: OscalProperty[]
}

interface OscalResult {
  uuid: string
  title: string
  description: string
  start: string
  end: string
  'local-definitions'?: { 'inventory-items': InventoryItem[] }
  'reviewed-controls': {
    'control-selections': [{ 'include-controls': { 'control-id': string }[] } | { 'include-all': object }]
  }
  observations?: OscalObservation[]
  findings?: OscalFinding[]
}

export interface OscalAssessmentResults {
  'assessment-results': {
    uuid: string
    metadata: OscalMetadata
    'import-ap': { href: string }
    results: [OscalResult]
    'back-matter': { resources: { uuid: string; title: string; description: string }[] }
  }
}

export function buildOscalAssessmentResults(assessment: Assessment): OscalAssessmentResults {
  const { org, from, to, now } = assessment
  const time = [from.toISOString(), to.toISOString()]
  const plan = computeUuid('assessment plan', org)
  return {
    'assessment-results': {
      uuid: computeUuid('assessment results', org, ...time),
      metadata: buildMetadata(`Assessment of the controls of ${org}`, now),
      'import-ap': { href: `#${plan}` },
      results: [buildResult(assessment)],
      'back-matter': {
        resources: [
          {
            uuid: plan,
            title: 'Continuous assessment',
            description:
              'Controls are assessed while software is built and run: pipelines and people record decisions, and ' +
              'policies ask for them before something may run.',
          },
        ],
      },
    },
  }
}

/** Includes active controls, and archived ones with decisions in the period. */
function buildResult({ org, from, to, controls, decisions, environments }: Assessment): OscalResult {
  const byControl = groupByControl(decisions)
  const reviewed = controls.filter(({ archived, identifier }) => !archived || byControl.has(identifier))
  const items = new Map(
    decisions.map(decision => [computeItemUuid(org, decision), buildInventoryItem(org, decision)]),
  )
  const observations = decisions.map(decision => buildObservation(org, decision))
  const findings = reviewed.map(control =>
    buildFinding({ org, environments, to }, control, byControl.get(control.identifier) ?? []),
  )
  const [start, end] = [from.toISOString(), to.toISOString()]
  return {
    uuid: computeUuid('result', org, start, end),
    title: toSingleLine(`Decisions of ${org}`),
    description: `${decisions.length} decisions on ${reviewed.length} controls`,
    start,
    end,
    ...(items.size === 0 ? {} : { 'local-definitions': { 'inventory-items': [...items.values()] } }),
    'reviewed-controls': {
      'control-selections': [
        reviewed.length === 0
          ? { 'include-all': {} }
          : { 'include-controls': reviewed.map(({ identifier }) => ({ 'control-id': toToken(identifier) })) },
      ],
    },
    ...(observations.length === 0 ? {} : { observations }),
    ...(findings.length === 0 ? {} : { findings }),
  }
}

function groupByControl(decisions: readonly AssessedDecision[]): Map<string, AssessedDecision[]> {
  const groups = new Map<string, AssessedDecision[]>()
  for (const decision of decisions) {
    const group = groups.get(decision.control)
    if (group) group.push(decision)
    else groups.set(decision.control, [decision])
  }
  return groups
}

function buildObservation(org: string, decision: AssessedDecision): OscalObservation {
  const { attestation_name, control, control_version, is_compliant, reported_by } = decision
  const about =
    control_version === null ? `control ${control}` : `version ${control_version} of control ${control}`
  const version =
    control_version === null ? [] : [buildOwnProperty('control-version', String(control_version))]
  return {
    uuid: computeObservationUuid(org, decision),
    title: toSingleLine(`${attestation_name}: ${control}`),
    description: `${reported_by} recorded that ${about} is ${is_compliant ? 'met' : 'not met'} by ${describeSubject(decision)}`,
    props: [
      buildOwnProperty('control', control),
      ...version,
      buildOwnProperty('is-compliant', String(is_compliant)),
      buildOwnProperty('reported-by', reported_by),
    ],
    methods: ['EXAMINE'],
    types: ['control-objective'],
    subjects: [
      {
        'subject-uuid': computeItemUuid(org, decision),
        type: 'inventory-item',
        title: toSingleLine(describeSubject(decision)),
      },
    ],
    'relevant-evidence': [{ href: decision.href, description: 'The decision with its evidence' }],
    collected: decision.created_at.toISOString(),
    ...(decision.expires_at === null ? {} : { expires: decision.expires_at.toISOString() }),
  }
}

function buildFinding(
  { org, environments, to }: Pick<Assessment, 'org' | 'environments' | 'to'>,
  { identifier, name, version, environments_covered }: AssessedControl,
  decisions: readonly AssessedDecision[],
): OscalFinding {
  const status = computeStatus(decisions, to)
  return {
    uuid: computeUuid('finding', org, identifier),
    title: toSingleLine(`${identifier}: ${name}`),
    description: status.remarks,
    props: [
      buildOwnProperty('control-version', String(version)),
      buildOwnProperty('decisions', String(decisions.length)),
      buildOwnProperty('environments', String(environments)),
      buildOwnProperty('environments-covered', String(environments_covered)),
      buildOwnProperty(
        'coverage-percent',
        String(computeCoveragePercent(environments, environments_covered)),
      ),
    ],
    target: { type: 'statement-id', 'target-id': toStatementId(identifier), status },
    ...(decisions.length === 0
      ? {}
      : {
          'related-observations': decisions.map(decision => ({
            'observation-uuid': computeObservationUuid(org, decision),
          })),
        }),
  }
}

/** Decisions are sorted oldest first, so the last one of a flow is its latest. */
function computeStatus(decisions: readonly AssessedDecision[], to: Date): OscalFinding['target']['status'] {
  if (decisions.length === 0) {
    return { state: 'not-satisfied', reason: 'other', remarks: 'Nothing was decided in this time' }
  }
  const latest = [...new Map(decisions.map(decision => [decision.flow_name, decision])).values()]
  const expired = latest.filter(({ expires_at }) => expires_at !== null && expires_at <= to)
  const failing = latest.filter(decision => !decision.is_compliant && !expired.includes(decision))
  if (failing.length === 0 && expired.length === 0) {
    return { state: 'satisfied', reason: 'pass', remarks: 'The latest decision of every flow is compliant' }
  }
  const remarks = [
    ...(failing.length === 0 ? [] : [`The latest decision is not compliant in: ${listFlows(failing)}`]),
    ...(expired.length === 0 ? [] : [`The latest decision has expired in: ${listFlows(expired)}`]),
  ]
  return { state: 'not-satisfied', reason: 'fail', remarks: remarks.join('; ') }
}

function listFlows(decisions: readonly AssessedDecision[]): string {
  return decisions
    .map(({ flow_name }) => flow_name)
    .toSorted()
    .join(', ')
}

function computeObservationUuid(org: string, { decision_id }: AssessedDecision): string {
  return computeUuid('decision', org, decision_id)
}

function computeItemUuid(
  org: string,
  { flow_name, trail_name, artifact_fingerprint }: AssessedDecision,
): string {
  return computeUuid('subject', org, flow_name, trail_name, artifact_fingerprint ?? '')
}

function buildInventoryItem(org: string, decision: AssessedDecision): InventoryItem {
  const { flow_name, trail_name, artifact_fingerprint } = decision
  return {
    uuid: computeItemUuid(org, decision),
    description: describeSubject(decision),
    props: [
      buildOwnProperty('flow', flow_name),
      buildOwnProperty('trail', trail_name),
      ...(artifact_fingerprint === null ? [] : [buildOwnProperty('fingerprint', artifact_fingerprint)]),
    ],
  }
}

function describeSubject({
  flow_name,
  trail_name,
  artifact_name,
  artifact_fingerprint,
}: AssessedDecision): string {
  const trail = `trail ${trail_name} of flow ${flow_name}`
  return artifact_fingerprint === null
    ? trail
    : `artifact ${artifact_name ?? artifact_fingerprint} in ${trail}`
}
