// The kinds of attestation: one operation each, which differ in what they carry and in how that is judged.

import { type Static, type TSchema, Type } from 'typebox'
import { judgeAttestation } from '../../domain/attestation/judge.ts'
import { storedType } from '../../domain/attestation/types.ts'
import { invalid } from '../../lib/errors.ts'
import { shown } from '../../lib/sentences.ts'
import { evaluateCustom } from '../custom-attestation-types/evaluate.ts'
import { WaitingDecision } from '../decisions/wire.ts'
import { Answer, type CallerOrg, type Deps, type Operation, operation } from '../operation.ts'
import { MADE_HEADERS, madeHeaders } from '../shared/made.ts'
import { Closed, OK, Ok } from '../shared/wire.ts'
import {
  type CommonBody,
  CustomBody,
  type DecisionBody,
  GenericBody,
  JiraBody,
  JunitBody,
  OverrideBody,
  PullRequestBody,
  type SbomBody,
  SnykBody,
  SonarBody,
  SystemBody,
} from './bodies.ts'
import * as examples from './body-examples.ts'
import { awaitOverride } from './override.ts'
import { type AttestationRequest, type Judged, storeAttestation } from './report.ts'

export const AttestationTrailPath = Closed('AttestationTrailPath', {
  org: Type.String(),
  flow_name: Type.String(),
  trail_name: Type.String(),
})

export interface Kind<B extends TSchema> {
  slug: string
  id: string
  says: string
  body: B
  example: Static<B>
  /** An override is a statement of its own: it brings no evidence. */
  attaches: boolean
  /** 201 unless told: what an override says is about something that is there. */
  status?: 200
  judge(body: Static<B>, org: CallerOrg, deps: Deps): Judged | Promise<Judged>
}

export function reporting<B extends TSchema>(kind: Kind<B>): Operation {
  return operation(
    {
      id: kind.id,
      method: 'POST',
      path: `/attestations/{org}/{flow_name}/trail/{trail_name}/${kind.slug}`,
      tag: 'Attestations',
      summary: `Report ${kind.says}`,
      description:
        'For the trail itself; with `artifact_fingerprint` for an artifact on it; with `target_artifacts` and ' +
        '`git_commit_info` for artifacts that need not be reported yet. The latest of a name counts',
      access: 'member',
      // An override decides; it does not attest.
      ...(kind.slug === 'override' ? {} : { family: 'attest' as const }),
      audit: [
        'trail_attestation_reported',
        'artifact_attestation_reported',
        'trail_attestation_for_artifact_reported',
        ...(kind.slug === 'override' ? (['decision_asked', 'decision_confirmed'] as const) : []),
      ],
      params: AttestationTrailPath,
      body: kind.body,
      ...(kind.attaches
        ? { form: { json_part: 'data_json', file_parts: [], evidence_part: 'attachment_file' } }
        : {}),
      returns: Ok,
      answer_headers: MADE_HEADERS,
      ...(kind.status === 200 ? {} : { creates: true }),
      ...(kind.slug === 'override' ? { waits: WaitingDecision } : {}),
      fails: [400, 403, 404, 422],
      example: { body: kind.example },
    },
    async (request, deps) => {
      const { body, ...rest } = request as unknown as AttestationRequest & { body: Static<B> & CommonBody }
      const judged = await kind.judge(body, rest.org, deps)
      const waiting =
        kind.slug === 'override' && (await awaitOverride({ ...rest, body: body as CommonBody }, deps))
      if (waiting) return waiting
      const id = await storeAttestation({ ...rest, body }, judged, deps)
      const { flow_name, trail_name } = rest.params
      const path = ['attestations', rest.org.name, flow_name, 'trail', trail_name, body.attestation_name]
      return new Answer(kind.status ?? 201, OK, madeHeaders(deps.base_url, path, id))
    },
  )
}

function judged(attestation_type: string, verdict: Judged['verdict'], more: Partial<Judged> = {}): Judged {
  return { attestation_type, counts_as_type: attestation_type, control: null, verdict, findings: {}, ...more }
}

export const reportGeneric = reporting({
  slug: 'generic',
  id: 'reportGenericAttestation',
  says: 'a generic attestation',
  body: GenericBody,
  example: examples.GENERIC_EXAMPLE,
  attaches: true,
  judge: ({ is_compliant }) => judged('generic', judgeAttestation({ type: 'generic', is_compliant })),
})

export const reportJunit = reporting({
  slug: 'junit',
  id: 'reportJunitAttestation',
  says: 'test results',
  body: JunitBody,
  example: examples.JUNIT_EXAMPLE,
  attaches: true,
  judge: ({ junit_results }) => judged('junit', judgeAttestation({ type: 'junit', junit_results })),
})

export const reportSnyk = reporting({
  slug: 'snyk',
  id: 'reportSnykAttestation',
  says: 'a vulnerability scan',
  body: SnykBody,
  example: examples.SNYK_EXAMPLE,
  attaches: true,
  judge: ({ snyk_results }) => judged('snyk', judgeAttestation({ type: 'snyk', snyk_results })),
})

export const reportJira = reporting({
  slug: 'jira',
  id: 'reportJiraAttestation',
  says: 'references to issues',
  body: JiraBody,
  example: examples.JIRA_EXAMPLE,
  attaches: true,
  judge: ({ jira_results }) => judged('jira', judgeAttestation({ type: 'jira', jira_results })),
})

export const reportSonar = reporting({
  slug: 'sonar',
  id: 'reportSonarAttestation',
  says: 'a static analysis',
  body: SonarBody,
  example: examples.SONAR_EXAMPLE,
  attaches: true,
  judge: ({ sonar_results }) => judged('sonar', judgeAttestation({ type: 'sonar', sonar_results })),
})

export const reportPullRequest = reporting({
  slug: 'pull_request',
  id: 'reportPullRequestAttestation',
  says: 'pull requests',
  body: PullRequestBody,
  example: examples.PULL_REQUEST_EXAMPLE,
  attaches: true,
  judge: ({ pull_requests }) =>
    judged('pull_request', judgeAttestation({ type: 'pull_request', pull_requests })),
})

export const reportCustom = reporting({
  slug: 'custom',
  id: 'reportCustomAttestation',
  says: 'an attestation of a custom type',
  body: CustomBody,
  example: examples.CUSTOM_EXAMPLE,
  attaches: true,
  judge: async ({ type_name, attestation_data }, org, deps) => {
    const { verdict, ...findings } = await evaluateCustom(deps, org, type_name, attestation_data)
    return judged(`custom:${type_name}`, verdict, { findings })
  },
})

export const reportSystem = reporting({
  slug: 'system',
  id: 'reportSystemAttestation',
  says: 'a decision on a control, or an SBOM',
  body: SystemBody,
  example: examples.SYSTEM_EXAMPLE,
  attaches: true,
  judge: body => (body.type_name === 'sbom' ? judgeSbom(body) : judgeDecision(body)),
})

function judgeDecision({ attestation_data, control }: DecisionBody): Judged {
  return judged(storedType('decision'), judgeAttestation({ type: 'decision', attestation_data }), { control })
}

/** These annotations repeat what the data says, where readers of a trail look for it. */
function judgeSbom({ attestation_data, annotations = {} }: SbomBody): Judged {
  const reserved = {
    sbom_format: attestation_data.format,
    sbom_sha256: attestation_data.original_fingerprint,
  }
  for (const [key, value] of Object.entries(reserved)) {
    const given = annotations[key]
    if (given !== undefined && given !== value)
      throw invalid({
        [`data_json.annotations.${key}`]: `Input should be '${value}', as in the data [input: ${shown(given)}]`,
      })
  }
  return judged(storedType('sbom'), judgeAttestation({ type: 'sbom', attestation_data }), {
    findings: { annotations: { ...annotations, ...reserved } },
  })
}

export const reportOverride = reporting({
  slug: 'override',
  id: 'reportOverride',
  says: 'that a verdict is replaced, and why',
  body: OverrideBody,
  example: examples.OVERRIDE_EXAMPLE,
  attaches: false,
  status: 200,
  judge: ({ new_compliance_status, original_attestation_type }) =>
    judged('override', judgeAttestation({ type: 'override', new_compliance_status }), {
      counts_as_type: storedType(original_attestation_type),
    }),
})
