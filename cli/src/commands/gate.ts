// Asks whether a snapshot, an artifact or a trail is compliant, for `assert` and `wait`.
import { explainUnknown } from '../../../server/src/domain/snapshot/unknown.ts'
import type { Schemas } from '../api-types.ts'
import { reportVerdict } from '../ci/summaries.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { list, text } from '../program/flags.ts'
import { failUsage, Problem } from '../program/problem.ts'
import { ARTIFACT_FLAGS } from './artifact-choice.ts'
import { flow, optionalFlow } from './flags.ts'
import { read } from './read.ts'
import { describeReasons, type Explained } from './reasons.ts'
import { parseSnapshot } from './snapshot-notation.ts'
import { chooseExit, UNKNOWN_FLAG, type Verdict } from './unknown-verdict.ts'

type Snapshot = Schemas['Snapshot']
type Assertion = Schemas['Assertion']
type Trail = Schemas['Trail']

export interface GateAnswer {
  json: unknown
  /** The subject of the question. */
  subject: string
  verdict: Verdict
  /** Why the verdict is unknown. */
  because?: string
  reasons: readonly Explained[]
  /**
   * Existing evidence fails, or the question is about the past: more evidence would not change the verdict.
   */
  is_final: boolean
}

interface Asking {
  context: Context
  /** Overrides how long the program retries. */
  timeout_ms?: number | undefined
}

export const TRAIL_GATE_FLAGS = { flow: { ...flow, short: 'f' }, ...UNKNOWN_FLAG } as const

export const ARTIFACT_GATE_FLAGS = {
  ...ARTIFACT_FLAGS,
  ...UNKNOWN_FLAG,
  flow: { ...optionalFlow, short: 'f' },
  environment: text('by the policies of this environment', { short: 'e', placeholder: '<name>' }),
  policy: list('by these policies', { placeholder: '<names>' }),
} as const

export interface ArtifactScope {
  flow: string | undefined
  environment: string | undefined
  policy: readonly string[]
}

export function checkScope({ environment, policy }: ArtifactScope): void {
  if (environment !== undefined && policy.length > 0)
    failUsage('--environment and --policy exclude each other')
}

export async function conclude(
  { output, report }: Context,
  answer: GateAnswer,
  unknown: string,
): Promise<Exit> {
  const { json, verdict, reasons } = answer
  const line = describeAnswer(answer)
  const shown = verdict === 'no' && reasons.length > 0 ? `${line}\n\n${describeReasons(reasons)}` : line
  await output.show({ json, text: shown, names: [STATES[verdict]] })
  reportVerdict(report, { line, verdict, reasons })
  return chooseExit(verdict, unknown)
}

const STATES: Record<Verdict, string> = { yes: 'COMPLIANT', no: 'NON-COMPLIANT', unknown: 'UNKNOWN' }

export function describeAnswer({ subject, verdict, because }: GateAnswer): string {
  return `${subject} is ${STATES[verdict]}${because === undefined ? '' : `: ${because}`}`
}

export async function askSnapshot({ context, timeout_ms }: Asking, notation: string): Promise<GateAnswer> {
  const params = parseSnapshot(notation)
  try {
    const { json } = await read(context, {
      template: '/snapshots/{org}/{env_name}/{snapshot_expression}',
      params,
      timeout_ms,
    })
    // Numbered snapshots never change.
    return { ...readSnapshot(json as Snapshot), is_final: params.snapshot_expression.startsWith('#') }
  } catch (error) {
    if (!(error instanceof Problem) || error.exit !== 'not_found') throw error
    // Throws again if the environment itself does not exist.
    const { json } = await read(context, { template: '/environments/{org}/{env_name}', params, timeout_ms })
    const environment = json as Schemas['Environment']
    if (environment.latest_snapshot_index > 0) throw error
    const because = explainUnknown('never-reported')
    return { json: environment, subject: notation, verdict: 'unknown', because, reasons: [], is_final: false }
  }
}

/** An old "no" is still a "no"; an old "yes" is unknown. */
function readSnapshot(found: Snapshot): Omit<GateAnswer, 'is_final'> {
  const subject = `${found.environment_name}#${found.index}`
  const reasons = found.artifacts.flatMap(({ reasons_for_incompliance }) => reasons_for_incompliance)
  const answer = { json: found, subject, reasons }
  if (found.state === false) return { ...answer, verdict: 'no' }
  if (found.state === true && found.unknown_because === null) return { ...answer, verdict: 'yes' }
  return { ...answer, verdict: 'unknown', because: explainUnknown(found.unknown_because) }
}

export async function askArtifact(
  { context, timeout_ms }: Asking,
  fingerprint: string,
  { flow: flow_name, environment, policy }: ArtifactScope,
): Promise<GateAnswer> {
  const { json } = await read(context, {
    template: '/asserts/{org}/fingerprint/{fingerprint}',
    params: { fingerprint },
    query: { flow_name, environment_name: environment, policy_name: policy },
    timeout_ms,
  })
  return readAssertion(json as Assertion)
}

export function readAssertion(found: Assertion): GateAnswer {
  const { compliant, unknown_because, environment, reasons } = found
  const where = environment === undefined ? '' : ` for ${environment}`
  const subject = `${found.artifact_name || 'artifact'} ${found.artifact_fingerprint.slice(0, 12)}${where}`
  const answer = { json: found, subject, reasons, is_final: false }
  if (!compliant) return { ...answer, verdict: 'no', is_final: reasons.some(hasFailingEvidence) }
  if (unknown_because === null) return { ...answer, verdict: 'yes' }
  return { ...answer, verdict: 'unknown', because: explainUnknown(unknown_because) }
}

const NOS = new Set([
  'non_compliant_attestation',
  'wrong_attestation_type',
  'non_compliant_artifact',
  'declared_non_compliant',
])

/** Whether evidence was reported and fails, as opposed to not yet reported. */
function hasFailingEvidence({ type, found }: { type: string; found: string }): boolean {
  return NOS.has(type) || (type === 'non_compliant_in_trail' && found.startsWith('NON-COMPLIANT'))
}

export async function askTrail(
  { context, timeout_ms }: Asking,
  flow_name: string,
  trail_name: string,
): Promise<GateAnswer> {
  const { json } = await read(context, {
    template: '/trails/{org}/{flow_name}/{trail_name}',
    params: { flow_name, trail_name },
    timeout_ms,
  })
  return readTrail(json as Trail)
}

/** A trail without required evidence is not compliant: something is missing. */
function readTrail(found: Trail): GateAnswer {
  const { compliance_status, name, flow_name } = found
  const waiting = compliance_status.waiting.map(({ attestation_name, waiting_for }) => ({
    description: `Attestation '${attestation_name}' waits for '${waiting_for}'`,
    type: 'waiting',
    expected: waiting_for,
    found: 'not reported',
  }))
  return {
    json: found,
    subject: `trail ${name} of flow ${flow_name}`,
    verdict: compliance_status.is_compliant ? 'yes' : 'no',
    is_final: compliance_status.status === 'NON-COMPLIANT',
    reasons: [...compliance_status.reasons, ...waiting].map(reason => ({
      ...reason,
      flow_name,
      trail_name: name,
    })),
  }
}
