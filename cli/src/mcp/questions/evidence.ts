// Questions about evidence: what exists for a commit or an artifact, who approved it, and how to prove it.
import type { Schemas } from '../../api-types.ts'
import { formatTime } from '../../print/table.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import { count } from '../count.ts'
import { show } from '../mark-data.ts'
import { type Answered, defineQuestion, MAX_PAGE, requiredText, type Service, text } from '../question.ts'

type Found = Schemas['ShaFound']
type Assertion = Schemas['Assertion']
type Attestation = Schemas['Attestation']
type Status = Schemas['AttestationStatus']
type Trails = Schemas['CommitTrails']
type Trail = Schemas['Trail']

/** Each artifact needs a separate request. */
const MAX_READ = 5
const APPROVING = new Set(['pull_request', 'override', 'decision'])

export const evidenceQuestions = [
  defineQuestion({
    name: 'what_evidence',
    title: 'Which evidence does this commit or artifact have',
    description:
      'The attestations of an artifact, or of everything that was built from a commit: what was reported, whether it is compliant, and what is missing.',
    parameters: {
      sha: requiredText('a git commit or the SHA-256 of an artifact, or at least its first 5 characters'),
    },
    operations: ['searchBySha', 'assertArtifact', 'searchCommitTrails', 'getTrail'],
    answer: async ({ sha }, service) => {
      const found = await searchSha(service, sha)
      if (found.artifacts.length === 0) return listTrailEvidence(service, sha)
      const chosen = [...new Set(found.artifacts.map(({ fingerprint }) => fingerprint))].slice(0, MAX_READ)
      const lines = await Promise.all(chosen.map(fingerprint => listArtifactEvidence(service, fingerprint)))
      return {
        summary: `${count(found.artifacts_count, 'artifact')}; the evidence of ${chosen.length} of them:`,
        lines: lines.flat(),
      }
    },
  }),
  defineQuestion({
    name: 'who_approved',
    title: 'Who approved this artifact',
    description:
      'The people behind an artifact: reviewers of its pull requests, overrides, decisions about controls, and entries in allow-lists.',
    parameters: {
      fingerprint: requiredText('the SHA-256 of the artifact, or at least its first 5 characters'),
    },
    operations: ['assertArtifact', 'listAttestations', 'listAllowLists'],
    answer: async ({ fingerprint }, service) => {
      const asserted = await readAssertion(service, fingerprint)
      const ids = asserted.flows
        .flatMap(({ compliance_status }) => compliance_status?.attestations_statuses ?? [])
        .filter(({ attestation_type }) => APPROVING.has(attestation_type))
        .flatMap(({ attestation_id }) => attestation_id ?? [])
      const attested = await Promise.all(
        [...new Set(ids)].slice(0, MAX_READ).map(id => describeApproval(service, id)),
      )
      const allowed = await service.read<Schemas['AllowListEntry'][]>({
        template: '/allowlists/{org}',
        query: { include_ended: true },
      })
      const own = allowed.filter(entry => entry.artifact_fingerprint === asserted.artifact_fingerprint)
      const lines = [
        ...attested.flat(),
        ...own.map(
          entry =>
            `allowed in ${show(entry.environment_name)} by ${show(entry.created_by)} at ${formatTime(entry.created_at)}${entry.is_in_force ? '' : ' (not in force)'}: ${show(entry.description)}`,
        ),
      ]
      return {
        summary:
          lines.length === 0 ? 'No approval is recorded.' : `Recorded: ${count(lines.length, 'approval')}.`,
        lines: [...lines, `${show(asserted.artifact_name)}; page: ${asserted.html_url}`],
      }
    },
  }),
  defineQuestion({
    name: 'proof_of_entry',
    title: 'Proof of an entry in the log',
    description:
      'Where an entry is in the tamper-evident log, whether a signed checkpoint covers it, and where to get the proof that anyone can verify. Name one entry.',
    parameters: {
      attestation_id: text('an attestation'),
      flow: text('the flow of a trail'),
      trail: text('the trail: its last change'),
      environment: text('the environment of a snapshot'),
      snapshot: { type: 'number', summary: 'the number of the snapshot', min: 1, max: MAX_PAGE * MAX_PAGE },
    },
    operations: ['getLogLeaf'],
    answer: async ({ attestation_id, flow, trail, environment, snapshot }, service) => {
      const query = { attestation: attestation_id, flow, trail, environment, snapshot }
      if (Object.values(query).every(value => value === undefined))
        failUsage('Name an attestation, a flow and a trail, or an environment and a snapshot')
      const place = await service.read<Schemas['LogPlace']>({ template: '/log/{org}/leaf', query })
      const { checkpoint_size, witnesses } = place
      const isCovered = checkpoint_size !== null
      return {
        summary: `It is leaf ${place.index} of log ${place.epoch}, recorded at ${formatTime(place.logged_at)}. ${isCovered ? `A signed checkpoint of size ${checkpoint_size} covers it, number of witnesses that cosigned it: ${witnesses}.` : 'No signed checkpoint covers it now.'}`,
        lines: [
          `kind of event: ${place.kind}, event ${place.event}`,
          `proof file: GET /api/v2/log/<organization>/proof?index=${place.index}; page of the log: ${service.link('proof')}`,
        ],
      }
    },
  }),
]

const searchSha = (service: Service, value: string): Promise<Found> =>
  service.read<Found>({ template: '/search/{org}/sha/{value}', params: { value } })

const readAssertion = (service: Service, fingerprint: string): Promise<Assertion> =>
  service.read<Assertion>({ template: '/asserts/{org}/fingerprint/{fingerprint}', params: { fingerprint } })

async function listArtifactEvidence(service: Service, fingerprint: string): Promise<string[]> {
  try {
    const found = await readAssertion(service, fingerprint)
    return found.flows.flatMap(({ flow, trail, compliance_status }) => [
      `${show(found.artifact_name)} ${fingerprint.slice(0, 12)} in flow ${show(flow)}, trail ${show(trail)}: ${compliance_status?.status ?? 'no trail'}; page: ${found.html_url}`,
      ...(compliance_status?.attestations_statuses ?? []).map(describeStatus),
    ])
  } catch (error) {
    // The artifact runs somewhere, but no flow reported it.
    if (error instanceof Problem && error.status === 404)
      return [`${fingerprint.slice(0, 12)}: no flow reported it, so there is no evidence`]
    throw error
  }
}

async function listTrailEvidence(service: Service, sha: string): Promise<Answered> {
  const found = await service.read<Trails>({
    template: '/search/{org}/commit/{sha}/trails',
    params: { sha },
    query: { per_page: MAX_READ },
  })
  const trails = await Promise.all(
    found.trails.map(({ flow_name, trail_name }) =>
      service.read<Trail>({
        template: '/trails/{org}/{flow_name}/{trail_name}',
        params: { flow_name, trail_name },
      }),
    ),
  )
  return {
    summary: `No artifacts; ${count(found.total_count, 'trail')} of the commit, the evidence of ${trails.length} of them:`,
    lines: trails.flatMap(trail => [
      `trail ${show(trail.name)} of flow ${show(trail.flow_name)}: ${trail.compliance_state}; page: ${trail.html_url}`,
      ...trail.compliance_status.attestations_statuses.map(describeStatus),
    ]),
  }
}

function describeStatus({ attestation_name, attestation_type, is_compliant, unexpected }: Status): string {
  const state = is_compliant === null ? 'MISSING' : is_compliant ? 'compliant' : 'non-compliant'
  return `attestation ${show(attestation_name)} (${show(attestation_type)}): ${state}${unexpected ? ', not in the template' : ''}`
}

interface Reviewed {
  pull_requests?: readonly {
    url?: string
    author?: string
    approvers?: readonly (string | { username?: string })[] | null
  }[]
}

async function describeApproval(service: Service, attestation_id: string): Promise<string[]> {
  const { data } = await service.read<{ data: (Attestation & Reviewed)[] }>({
    template: '/attestations/{org}',
    query: { attestation_id },
  })
  return data.flatMap(found => {
    const head = `${found.attestation_type} ${show(found.attestation_name)} reported by ${show(found.reported_by)} at ${formatTime(found.created_at)}`
    const reviews = (found.pull_requests ?? []).map(({ url, author, approvers }) => {
      const names = (approvers ?? []).map(each => show(typeof each === 'string' ? each : each.username))
      return `${head}: ${show(url)} by ${show(author)}, approved by ${names.join(', ') || 'nobody'}; page: ${found.html_url}`
    })
    return reviews.length > 0 ? reviews : [`${head}: ${show(found.description)}; page: ${found.html_url}`]
  })
}
