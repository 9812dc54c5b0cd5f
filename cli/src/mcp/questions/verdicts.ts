// Questions about verdicts: why something is not compliant, whether an artifact is allowed, what a policy
// would change, and which decisions wait for a second person.
import { explainUnknown } from '../../../../server/src/domain/snapshot/unknown.ts'
import type { Schemas } from '../../api-types.ts'
import { readAssertion } from '../../commands/gate.ts'
import type { Explained } from '../../commands/reasons.ts'
import { describeState } from '../../commands/unknown-verdict.ts'
import { dropMissing } from '../../lib/drop-missing.ts'
import { formatPairs, formatState, formatTime } from '../../print/table.ts'
import { failUsage } from '../../program/problem.ts'
import { count } from '../count.ts'
import { show } from '../mark-data.ts'
import { type Answered, defineQuestion, requiredText, type Service, text } from '../question.ts'

type Assertion = Schemas['Assertion']
type Compliance = Schemas['EnvironmentCompliance']
type Trail = Schemas['Trail']
type Tried = Schemas['PolicyTried']
type Waiting = Schemas['WaitingDecision']

const MAX_POLICY = 100_000
const MAX_SENTENCE = 320

export const verdictQuestions = [
  defineQuestion({
    name: 'why_not_compliant',
    title: 'Why is it red',
    description:
      'Why an environment, an artifact or a trail is not compliant: each reason with what was expected, what was found and what would help.',
    parameters: {
      environment: text('the environment; with a fingerprint: by its policies'),
      fingerprint: text('the SHA-256 of an artifact, or at least its first 5 characters'),
      flow: text('the flow of the trail; with a fingerprint: only this flow'),
      trail: text('the trail'),
    },
    operations: ['getEnvironmentCompliance', 'assertArtifact', 'getTrail'],
    answer: ({ environment, fingerprint, flow, trail }, service) => {
      if (fingerprint !== undefined) return explainArtifact(service, fingerprint, { environment, flow })
      if (trail !== undefined && flow !== undefined) return explainTrail(service, flow, trail)
      if (environment !== undefined) return explainEnvironment(service, environment)
      return failUsage('Name an environment, a fingerprint, or a flow and a trail')
    },
  }),
  defineQuestion({
    name: 'is_it_allowed',
    title: 'Is this artifact allowed in this environment',
    description:
      'Evaluates the policies of an environment for one artifact, now: yes, no with the reasons, or unknown.',
    parameters: {
      fingerprint: requiredText('the SHA-256 of the artifact, or at least its first 5 characters'),
      environment: requiredText('the environment'),
    },
    operations: ['assertArtifact'],
    answer: ({ fingerprint, environment }, service) =>
      explainArtifact(service, fingerprint, { environment, flow: undefined }),
  }),
  defineQuestion({
    name: 'what_would_policy_do',
    title: 'What would this policy draft do',
    description:
      'Evaluates a draft of a policy on what runs now, beside the policies that are attached. Nothing is saved.',
    parameters: {
      policy_yaml: requiredText('the draft, as YAML', MAX_POLICY),
      policy_name: text('the policy that the draft would replace'),
      environments: {
        type: 'texts',
        summary: 'only these environments; by default all of them, or those that have the policy',
        max: 50,
      },
    },
    operations: ['tryPolicy', 'tryNewPolicy'],
    answer: async ({ policy_yaml, policy_name, environments }, service) =>
      describeTried(await service.tryPolicy<Tried>(policy_name, dropMissing({ policy_yaml, environments }))),
  }),
  defineQuestion({
    name: 'what_waits',
    title: 'What waits for a decision',
    description:
      'Overrides and allow-list entries that one person asked for and a second one has to confirm.',
    parameters: {},
    operations: ['listDecisions'],
    answer: async (_, service) => {
      const found = await service.read<Waiting[]>({ template: '/decisions/{org}' })
      return {
        summary: `Waiting for a second person: ${count(found.length, 'decision')}.`,
        lines: found.map(
          ({ kind, subject, reason, asked_by, created_at, expires_at }) =>
            `${kind} (${show(formatPairs(subject))}), asked by ${show(asked_by)} at ${formatTime(created_at)}, expires ${formatTime(expires_at)}, reason: ${show(reason)}; page: ${service.link('waiting-decisions')}`,
        ),
      }
    },
  }),
]

async function explainArtifact(
  service: Service,
  fingerprint: string,
  { environment, flow }: { environment: string | undefined; flow: string | undefined },
): Promise<Answered> {
  const found = await service.read<Assertion>({
    template: '/asserts/{org}/fingerprint/{fingerprint}',
    params: { fingerprint },
    query: { environment_name: environment, flow_name: flow },
  })
  const { verdict, because } = readAssertion(found)
  const summary = {
    yes: 'Yes, it is compliant.',
    no: `No, it is not compliant: ${count(found.reasons.length, 'reason')}.`,
    unknown: `Unknown: ${because}.`,
  }[verdict]
  const { allow_listed } = found
  return {
    summary,
    lines: [
      `${show(found.artifact_name)} ${found.artifact_fingerprint}; page: ${found.html_url}`,
      ...(allow_listed === null
        ? []
        : [`on the allow-list by ${show(allow_listed.created_by)}: ${show(allow_listed.description)}`]),
      ...found.reasons.map(describeReason),
    ],
  }
}

async function explainTrail(service: Service, flow_name: string, trail_name: string): Promise<Answered> {
  const found = await service.read<Trail>({
    template: '/trails/{org}/{flow_name}/{trail_name}',
    params: { flow_name, trail_name },
  })
  const { status, reasons, waiting } = found.compliance_status
  return {
    summary: `The trail is ${status}: ${count(reasons.length, 'reason')}.`,
    lines: [
      ...reasons.map(describeReason),
      ...waiting.map(each => `${show(each.attestation_name)} waits for ${show(each.waiting_for)}`),
      `Page: ${found.html_url}`,
    ],
  }
}

async function explainEnvironment(service: Service, env_name: string): Promise<Answered> {
  const found = await service.read<Compliance>({
    template: '/environments/{org}/{env_name}/compliance',
    params: { env_name },
  })
  const { is_stale, is_partial, unknown_because, non_compliant, policies } = found
  const doubts = [
    ...(unknown_because === null ? [] : [explainUnknown(unknown_because)]),
    ...(is_stale && unknown_because !== 'stale' ? ['its reports stopped'] : []),
    ...(is_partial && unknown_because !== 'partial' ? ['its reporter sees only a part'] : []),
  ]
  return {
    summary: `The environment is ${describeState(found)}${doubts.map(doubt => `, ${doubt}`).join('')}; not compliant: ${count(non_compliant.length, 'artifact')}.`,
    lines: [
      ...non_compliant.flatMap(({ artifact_name, fingerprint, reasons }) =>
        reasons.map(
          reason => `${show(artifact_name)} ${fingerprint.slice(0, 12)}: ${describeReason(reason)}`,
        ),
      ),
      `Policies: ${policies.map(({ name, version }) => `${show(name)} v${version}`).join(', ') || 'none'}; page: ${service.link('environments', found.environment_name)}`,
    ],
  }
}

function describeReason({ description, policy_name, expected, found, remedy }: Explained): string {
  const policy = policy_name ? ` (policy ${show(policy_name)})` : ''
  const help = remedy ? `; would help: ${show(remedy, MAX_SENTENCE)}` : ''
  return `${show(description, MAX_SENTENCE)}${policy}; expected ${show(expected)}, found ${show(found)}${help}`
}

function describeTried({ targets, summary, warnings }: Tried): Answered {
  return {
    summary: `Environments that would become non-compliant: ${summary.environments_that_would_turn_red}, compliant: ${summary.environments_that_would_turn_green}. Nothing was saved.`,
    lines: [
      ...targets.map(
        target =>
          `${show(target.environment_name)} snapshot ${target.snapshot_index}: ${formatState(target.compliant_before)} now, ${formatState(target.compliant_after)} with the draft; ${target.flips_total} of ${target.artifacts} artifacts change`,
      ),
      ...warnings.map(({ field, message }) => `warning about ${show(field)}: ${show(message)}`),
      ...targets.flatMap(({ flips }) =>
        flips.flatMap(({ artifact_name, compliant_after, reasons_after }) =>
          compliant_after === false
            ? reasons_after.map(reason => `${show(artifact_name)}: ${describeReason(reason)}`)
            : [],
        ),
      ),
    ],
  }
}
