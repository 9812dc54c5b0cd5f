// The kinds of attestation: one operation each, with its own body and its own evaluation.

import type { Static, TSchema } from 'typebox'
import type { AttestationType, FileHashes } from '../../domain/attestation/define-type.ts'
import { evaluateOverride, OVERRIDE_TYPE } from '../../domain/attestation/override.ts'
import { ATTESTATION_TYPES, findType, SYSTEM_TYPES, toStoredType } from '../../domain/attestation/types.ts'
import { assert } from '../../lib/assert.ts'
import { invalid } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'
import { evaluateCustomAttestation } from '../custom-attestation-types/evaluate.ts'
import { WaitingDecision } from '../decisions/wire.ts'
import { Accepted, Answer, type CallerOrg, type Deps, defineOperation, type Operation } from '../operation.ts'
import { refuseWrongTime } from '../shared/collected.ts'
import { buildCreatedHeaders, CREATED_HEADERS } from '../shared/created-headers.ts'
import { FlowName, OrgName, TrailName } from '../shared/fields.ts'
import { Closed, OK, Ok } from '../shared/wire.ts'
import { buildBody, type CommonBody, CustomBody, OverrideBody, SystemBody, toPascalCase } from './bodies.ts'
import { CUSTOM_EXAMPLE, OVERRIDE_EXAMPLE } from './body-examples.ts'
import { decideOverride } from './override.ts'
import { withFirstAnswer } from './repeat.ts'
import { type AttestationEvaluation, type AttestationRequest, storeAttestation } from './report.ts'
import { buildReportPath } from './wire.ts'

const MS_PER_SECOND = 1_000

const AttestationTrailPath = Closed('AttestationTrailPath', {
  org: OrgName,
  flow_name: FlowName,
  trail_name: TrailName,
})

interface Kind<B extends TSchema> {
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
  /** A hash in the body that one of the attached files must have. */
  listFileHashes?(body: Static<B>): FileHashes | null
}

function defineReportOperation<B extends TSchema>(kind: Kind<B>): Operation {
  return defineOperation(
    {
      id: kind.id,
      method: 'POST',
      path: buildReportPath(kind.slug),
      tag: 'Attestations',
      summary: `Report ${kind.subject}`,
      description:
        'By default for the trail itself; with `artifact_fingerprint`, for an artifact on it; with ' +
        '`target_artifacts` and `git_commit_info`, for artifacts that may be reported later. The latest ' +
        'attestation of a name counts',
      access: 'member',
      // An override is a decision, so a key limited to attesting may not send it.
      ...(kind.slug === 'override' ? { recheck_caller: true as const } : { family: 'attest' as const }),
      audit: [
        'trail_attestation_reported',
        'artifact_attestation_reported',
        'trail_attestation_for_artifact_reported',
        ...(kind.slug === 'override'
          ? (['decision_asked', 'decision_confirmed', 'decision_lapsed'] as const)
          : []),
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
      refuseWrongTime(`${kind.attaches ? 'data_json.' : ''}collected_at`, body.collected_at, rest.now)
      const id = await withFirstAnswer({ ...rest, body }, deps, async () => {
        const evaluation = await kind.evaluate(body, rest.org, deps)
        refusePastExpiry(evaluation, rest.now)
        refuseOtherFiles(kind.listFileHashes?.(body) ?? null, rest)
        const decided =
          kind.slug === 'override' &&
          (await decideOverride({ ...rest, body: body as CommonBody }, evaluation, deps))
        return decided || storeAttestation({ ...rest, body }, evaluation, deps)
      })
      if (id instanceof Accepted) return id
      const { flow_name, trail_name } = rest.params
      const path = ['attestations', rest.org.name, flow_name, 'trail', trail_name, body.attestation_name]
      return new Answer(kind.status ?? 201, OK, buildCreatedHeaders(deps.base_url, path, id))
    },
  )
}

function refusePastExpiry({ expires_at }: AttestationEvaluation, now: Date): void {
  if (expires_at === null || expires_at * MS_PER_SECOND > now.getTime()) return
  throw invalid({ 'data_json.expires_at': `Input should be in the future [input: ${expires_at}]` })
}

function refuseOtherFiles(
  hashes: FileHashes | null,
  { attachments }: Pick<AttestationRequest, 'attachments'>,
): void {
  if (hashes === null || attachments.length === 0) return
  const { field, given, accepted } = hashes
  if (attachments.some(({ file }) => accepted.includes(file.sha256))) return
  const found = attachments.map(({ file }) => file.sha256).join(', ')
  throw invalid({
    [`data_json.${field}`]: `Input should be the SHA-256 of the attached file, ${found} [input: ${given}]`,
  })
}

function buildEvaluation(
  attestation_type: string,
  verdict: AttestationEvaluation['verdict'],
  more: Partial<AttestationEvaluation> = {},
): AttestationEvaluation {
  return {
    attestation_type,
    counts_as_type: attestation_type,
    control: null,
    expires_at: null,
    verdict,
    findings: {},
    ...more,
  }
}

const reportCustom = defineReportOperation({
  slug: 'custom',
  id: 'reportCustomAttestation',
  subject: 'an attestation of a custom type',
  body: CustomBody,
  example: CUSTOM_EXAMPLE,
  attaches: true,
  evaluate: async ({ type_name, attestation_data }, org, deps) => {
    const { verdict, ...findings } = await evaluateCustomAttestation(deps, org, type_name, attestation_data)
    return buildEvaluation(`custom:${type_name}`, verdict, { findings })
  },
})

const reportSystem = defineReportOperation({
  slug: 'system',
  id: 'reportSystemAttestation',
  subject: SYSTEM_TYPES.map(({ subject }) => subject).join(', or '),
  body: SystemBody,
  example: { ...SYSTEM_TYPES[0]?.example } as Static<typeof SystemBody>,
  attaches: true,
  evaluate: body => {
    const type = findType(body.type_name)
    assert(type, 'the schema allows only types that exist')
    return evaluateType(type, body)
  },
  listFileHashes: body => findType(body.type_name)?.listFileHashes(body) ?? null,
})

const reportOverride = defineReportOperation({
  slug: OVERRIDE_TYPE,
  id: 'reportOverride',
  subject: 'an override of a verdict, with its reason',
  body: OverrideBody,
  example: OVERRIDE_EXAMPLE,
  attaches: false,
  status: 200,
  evaluate: ({ new_compliance_status, original_attestation_type }) =>
    buildEvaluation(OVERRIDE_TYPE, evaluateOverride(new_compliance_status), {
      counts_as_type: toStoredType(original_attestation_type),
    }),
})

/** The operations that report attestations, in the order of the OpenAPI document. */
export const reportOperations: readonly Operation[] = [
  ...ATTESTATION_TYPES.filter(({ is_system }) => !is_system).map(type =>
    defineReportOperation({
      slug: type.operation,
      id: `report${toPascalCase(type.name)}Attestation`,
      subject: type.subject,
      body: buildBody(type),
      example: type.example,
      attaches: true,
      evaluate: body => evaluateType(type, body),
      listFileHashes: body => type.listFileHashes(body),
    }),
  ),
  reportCustom,
  reportSystem,
  reportOverride,
]

function evaluateType(type: AttestationType, body: CommonBody): AttestationEvaluation {
  return buildEvaluation(type.stored_name, type.evaluate(body), {
    control: type.getControl(body),
    expires_at: type.getExpiry(body),
    findings: type.annotations === null ? {} : { annotations: completeAnnotations(type.annotations, body) },
  })
}

/** Adds the facts that pages show as annotations; the reporter may send them too, but no other values. */
function completeAnnotations(
  { from, read }: NonNullable<AttestationType['annotations']>,
  body: CommonBody,
): Record<string, string> {
  const { annotations = {} } = body
  const reserved = read(body)
  for (const [key, value] of Object.entries(reserved)) {
    const given = annotations[key]
    if (given !== undefined && given !== value)
      throw invalid({
        [`data_json.annotations.${key}`]: `Input should be '${value}', as in ${from} [input: ${formatInput(given)}]`,
      })
  }
  return { ...annotations, ...reserved }
}
