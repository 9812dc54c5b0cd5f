// The kinds of attestation: one operation each, with its own body and its own evaluation.

import type { Static, TSchema } from 'typebox'
import { evaluateAttestation } from '../../domain/attestation/evaluate.ts'
import { toStoredType } from '../../domain/attestation/types.ts'
import { invalid } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'
import { evaluateCustomAttestation } from '../custom-attestation-types/evaluate.ts'
import { WaitingDecision } from '../decisions/wire.ts'
import { Answer, type CallerOrg, type Deps, defineOperation, type Operation } from '../operation.ts'
import { buildCreatedHeaders, CREATED_HEADERS } from '../shared/created-headers.ts'
import { FlowName, OrgName, TrailName } from '../shared/fields.ts'
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
import { type AttestationEvaluation, type AttestationRequest, storeAttestation } from './report.ts'

export const AttestationTrailPath = Closed('AttestationTrailPath', {
  org: OrgName,
  flow_name: FlowName,
  trail_name: TrailName,
})

export interface Kind<B extends TSchema> {
  slug: string
  id: string
  subject: string
  body: B
  example: Static<B>
  /** Whether evidence can be attached; not for overrides. */
  attaches: boolean
  /** 201 by default. An override returns 200, because it is about an existing attestation. */
  status?: 200
  evaluate(
    body: Static<B>,
    org: CallerOrg,
    deps: Deps,
  ): AttestationEvaluation | Promise<AttestationEvaluation>
}

export function defineReportOperation<B extends TSchema>(kind: Kind<B>): Operation {
  return defineOperation(
    {
      id: kind.id,
      method: 'POST',
      path: `/attestations/{org}/{flow_name}/trail/{trail_name}/${kind.slug}`,
      tag: 'Attestations',
      summary: `Report ${kind.subject}`,
      description:
        'By default for the trail itself; with `artifact_fingerprint`, for an artifact on it; with ' +
        '`target_artifacts` and `git_commit_info`, for artifacts that may be reported later. The latest ' +
        'attestation of a name counts',
      access: 'member',
      // An override is a decision, so a key limited to attesting may not send it.
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
      answer_headers: CREATED_HEADERS,
      ...(kind.status === 200 ? {} : { creates: true }),
      ...(kind.slug === 'override' ? { waits: WaitingDecision } : {}),
      fails: [400, 403, 404, 422],
      example: { body: kind.example },
    },
    async (request, deps) => {
      const { body, ...rest } = request as unknown as AttestationRequest & { body: Static<B> & CommonBody }
      const evaluation = await kind.evaluate(body, rest.org, deps)
      const waiting =
        kind.slug === 'override' && (await awaitOverride({ ...rest, body: body as CommonBody }, deps))
      if (waiting) return waiting
      const id = await storeAttestation({ ...rest, body }, evaluation, deps)
      const { flow_name, trail_name } = rest.params
      const path = ['attestations', rest.org.name, flow_name, 'trail', trail_name, body.attestation_name]
      return new Answer(kind.status ?? 201, OK, buildCreatedHeaders(deps.base_url, path, id))
    },
  )
}

function buildEvaluation(
  attestation_type: string,
  verdict: AttestationEvaluation['verdict'],
  more: Partial<AttestationEvaluation> = {},
): AttestationEvaluation {
  return { attestation_type, counts_as_type: attestation_type, control: null, verdict, findings: {}, ...more }
}

export const reportGeneric = defineReportOperation({
  slug: 'generic',
  id: 'reportGenericAttestation',
  subject: 'a generic attestation',
  body: GenericBody,
  example: examples.GENERIC_EXAMPLE,
  attaches: true,
  evaluate: ({ is_compliant }) =>
    buildEvaluation('generic', evaluateAttestation({ type: 'generic', is_compliant })),
})

export const reportJunit = defineReportOperation({
  slug: 'junit',
  id: 'reportJunitAttestation',
  subject: 'test results',
  body: JunitBody,
  example: examples.JUNIT_EXAMPLE,
  attaches: true,
  evaluate: ({ junit_results }) =>
    buildEvaluation('junit', evaluateAttestation({ type: 'junit', junit_results })),
})

export const reportSnyk = defineReportOperation({
  slug: 'snyk',
  id: 'reportSnykAttestation',
  subject: 'a vulnerability scan',
  body: SnykBody,
  example: examples.SNYK_EXAMPLE,
  attaches: true,
  evaluate: ({ snyk_results }) =>
    buildEvaluation('snyk', evaluateAttestation({ type: 'snyk', snyk_results })),
})

export const reportJira = defineReportOperation({
  slug: 'jira',
  id: 'reportJiraAttestation',
  subject: 'references to issues',
  body: JiraBody,
  example: examples.JIRA_EXAMPLE,
  attaches: true,
  evaluate: ({ jira_results }) =>
    buildEvaluation('jira', evaluateAttestation({ type: 'jira', jira_results })),
})

export const reportSonar = defineReportOperation({
  slug: 'sonar',
  id: 'reportSonarAttestation',
  subject: 'a static analysis',
  body: SonarBody,
  example: examples.SONAR_EXAMPLE,
  attaches: true,
  evaluate: ({ sonar_results }) =>
    buildEvaluation('sonar', evaluateAttestation({ type: 'sonar', sonar_results })),
})

export const reportPullRequest = defineReportOperation({
  slug: 'pull_request',
  id: 'reportPullRequestAttestation',
  subject: 'pull requests',
  body: PullRequestBody,
  example: examples.PULL_REQUEST_EXAMPLE,
  attaches: true,
  evaluate: ({ pull_requests }) =>
    buildEvaluation('pull_request', evaluateAttestation({ type: 'pull_request', pull_requests })),
})

export const reportCustom = defineReportOperation({
  slug: 'custom',
  id: 'reportCustomAttestation',
  subject: 'an attestation of a custom type',
  body: CustomBody,
  example: examples.CUSTOM_EXAMPLE,
  attaches: true,
  evaluate: async ({ type_name, attestation_data }, org, deps) => {
    const { verdict, ...findings } = await evaluateCustomAttestation(deps, org, type_name, attestation_data)
    return buildEvaluation(`custom:${type_name}`, verdict, { findings })
  },
})

export const reportSystem = defineReportOperation({
  slug: 'system',
  id: 'reportSystemAttestation',
  subject: 'a decision on a control, or an SBOM',
  body: SystemBody,
  example: examples.SYSTEM_EXAMPLE,
  attaches: true,
  evaluate: body => (body.type_name === 'sbom' ? evaluateSbom(body) : evaluateDecision(body)),
})

function evaluateDecision({ attestation_data, control }: DecisionBody): AttestationEvaluation {
  return buildEvaluation(
    toStoredType('decision'),
    evaluateAttestation({ type: 'decision', attestation_data }),
    { control },
  )
}

/** Copies facts from the data into annotations, which pages of a trail show. */
function evaluateSbom({ attestation_data, annotations = {} }: SbomBody): AttestationEvaluation {
  const reserved = {
    sbom_format: attestation_data.format,
    sbom_sha256: attestation_data.original_fingerprint,
  }
  for (const [key, value] of Object.entries(reserved)) {
    const given = annotations[key]
    if (given !== undefined && given !== value)
      throw invalid({
        [`data_json.annotations.${key}`]: `Input should be '${value}', as in attestation_data [input: ${formatInput(given)}]`,
      })
  }
  return buildEvaluation(toStoredType('sbom'), evaluateAttestation({ type: 'sbom', attestation_data }), {
    findings: { annotations: { ...annotations, ...reserved } },
  })
}

export const reportOverride = defineReportOperation({
  slug: 'override',
  id: 'reportOverride',
  subject: 'an override of a verdict, with its reason',
  body: OverrideBody,
  example: examples.OVERRIDE_EXAMPLE,
  attaches: false,
  status: 200,
  evaluate: ({ new_compliance_status, original_attestation_type }) =>
    buildEvaluation('override', evaluateAttestation({ type: 'override', new_compliance_status }), {
      counts_as_type: toStoredType(original_attestation_type),
    }),
})
