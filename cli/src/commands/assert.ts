// The gates: is a snapshot, an artifact or a trail compliant? Prints every reason if not. Exit codes: 0 yes, 4 no, 8 unknown.
import type { Schemas } from '../api-types.ts'
import { argument, defineCommand, optionalArgument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { list, text } from '../program/flags.ts'
import { failUsage, Problem } from '../program/problem.ts'
import { ARTIFACT_FLAGS, chooseArtifact } from './artifact-choice.ts'
import { flow, optionalFlow } from './flags.ts'
import { read } from './read.ts'
import { describeReasons, type Explained } from './reasons.ts'
import { parseSnapshot, SNAPSHOT_NOTATION } from './snapshot-notation.ts'
import { chooseExit, UNKNOWN_FLAG, type Verdict } from './unknown-verdict.ts'

type Snapshot = Schemas['Snapshot']
type Assertion = Schemas['Assertion']
type Trail = Schemas['Trail']

interface Judged {
  json: unknown
  /** What was asked about. */
  subject: string
  verdict: Verdict
  /** Why it is unknown. */
  because?: string
  reasons: readonly Explained[]
}

export const assertCommands = [
  defineCommand({
    words: ['assert', 'snapshot'],
    summary: 'fail unless what runs in an environment is compliant',
    details: SNAPSHOT_NOTATION,
    args: [argument('snapshot', 'the environment, or one of its snapshots')],
    flags: UNKNOWN_FLAG,
    needs: 'org',
    operations: ['getSnapshot', 'getEnvironment'],
    examples: ['assert snapshot production', 'assert snapshot production#5'],
    run: async ({ args: { snapshot = '' }, flags, context }) =>
      conclude(context, await judgeSnapshot(context, snapshot), flags.unknown),
  }),
  defineCommand({
    words: ['assert', 'artifact'],
    summary: 'fail unless an artifact is compliant',
    details:
      'By default the templates of the flows that have the artifact decide. With --environment, the policies of the ' +
      'environment decide; with --policy, the named policies.',
    args: [optionalArgument('artifact', 'a file, a folder or an image; or give --fingerprint')],
    flags: {
      ...ARTIFACT_FLAGS,
      ...UNKNOWN_FLAG,
      flow: { ...optionalFlow, short: 'f' },
      environment: text('by the policies of this environment', { short: 'e', placeholder: '<name>' }),
      policy: list('by these policies', { placeholder: '<names>' }),
    },
    needs: 'org',
    operations: ['assertArtifact'],
    examples: ['assert artifact backend.tgz --artifact-type file --environment production'],
    run: async ({ args, flags, context }) => {
      if (flags.environment !== undefined && flags.policy.length > 0)
        failUsage('--environment and --policy exclude each other')
      const { fingerprint } = await chooseArtifact(args.artifact, flags, context)
      const { json } = await read(context, {
        template: '/asserts/{org}/fingerprint/{fingerprint}',
        params: { fingerprint },
        query: { flow_name: flags.flow, environment_name: flags.environment, policy_name: flags.policy },
      })
      return conclude(context, judgeArtifact(json as Assertion), flags.unknown)
    },
  }),
  defineCommand({
    words: ['assert', 'trail'],
    summary: 'fail unless a trail has all the evidence that its template requires',
    args: [argument('trail', 'the name of the trail')],
    flags: { flow: { ...flow, short: 'f' }, ...UNKNOWN_FLAG },
    needs: 'org',
    operations: ['getTrail'],
    examples: ['assert trail 4f2c1d0 --flow backend-ci'],
    run: async ({ args: { trail = '' }, flags, context }) => {
      const { json } = await read(context, {
        template: '/trails/{org}/{flow_name}/{trail_name}',
        params: { flow_name: flags.flow, trail_name: trail },
      })
      return conclude(context, judgeTrail(json as Trail), flags.unknown)
    },
  }),
]

async function conclude({ output }: Context, judged: Judged, unknown: string): Promise<Exit> {
  const { json, subject, verdict, because, reasons } = judged
  const state = { yes: 'COMPLIANT', no: 'NON-COMPLIANT', unknown: 'UNKNOWN' }[verdict]
  const line = `${subject} is ${state}${because === undefined ? '' : `: ${because}`}`
  const text = verdict === 'no' && reasons.length > 0 ? `${line}\n\n${describeReasons(reasons)}` : line
  await output.show({ json, text, names: [state] })
  return chooseExit(verdict, unknown)
}

async function judgeSnapshot(context: Context, notation: string): Promise<Judged> {
  const params = parseSnapshot(notation)
  try {
    const { json } = await read(context, {
      template: '/snapshots/{org}/{env_name}/{snapshot_expression}',
      params,
    })
    return judgeFound(json as Snapshot)
  } catch (error) {
    if (!(error instanceof Problem) || error.exit !== 'not_found') throw error
    // Throws again if it is the environment that does not exist.
    const { json } = await read(context, { template: '/environments/{org}/{env_name}', params })
    const environment = json as Schemas['Environment']
    if (environment.latest_snapshot_index > 0) throw error
    return {
      json: environment,
      subject: notation,
      verdict: 'unknown',
      because: 'nothing was reported yet',
      reasons: [],
    }
  }
}

/** A "no" stays a "no" when it is old; a "yes" that is old is unknown. */
function judgeFound(found: Snapshot): Judged {
  const subject = `${found.environment_name}#${found.index}`
  const reasons = found.artifacts.flatMap(({ reasons_for_incompliance }) => reasons_for_incompliance)
  if (found.state === false) return { json: found, subject, verdict: 'no', reasons }
  if (found.is_stale)
    return { json: found, subject, verdict: 'unknown', because: 'the last report is too old', reasons }
  if (found.state === null)
    return { json: found, subject, verdict: 'unknown', because: 'no policy is attached', reasons }
  return { json: found, subject, verdict: 'yes', reasons }
}

function judgeArtifact(found: Assertion): Judged {
  const { compliant, scope, environment, environment_is_stale, policy_evaluations, reasons } = found
  const where = environment === undefined ? '' : ` for ${environment}`
  const subject = `${found.artifact_name || 'artifact'} ${found.artifact_fingerprint.slice(0, 12)}${where}`
  if (!compliant) return { json: found, subject, verdict: 'no', reasons }
  const isAllowed = found.allow_listed !== null
  if (scope === 'environment' && policy_evaluations.length === 0 && !isAllowed)
    return { json: found, subject, verdict: 'unknown', because: 'no policy is attached', reasons }
  if (environment_is_stale)
    return { json: found, subject, verdict: 'unknown', because: 'the environment is stale', reasons }
  return { json: found, subject, verdict: 'yes', reasons }
}

/** A trail that lacks evidence is not compliant: something required is not there. */
function judgeTrail(found: Trail): Judged {
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
    reasons: [...compliance_status.reasons, ...waiting].map(reason => ({
      ...reason,
      flow_name,
      trail_name: name,
    })),
  }
}
