// The request bodies of attestations: the fields that all types share, and those of each type
// (domain/attestation/types/). Keys that the verdict depends on are typed; other keys that tools write are passed
// through.
import { type Static, Type } from 'typebox'
import type { AttestationType } from '../../domain/attestation/define-type.ts'
import { MAX_NAME } from '../../domain/attestation/fields.ts'
import { ATTESTATION_TYPES, SYSTEM_TYPES } from '../../domain/attestation/types.ts'
import { ATTESTATION_NAME, CUSTOM_TYPE_NAME, FINGERPRINT, TEMPLATE_NAME } from '../../domain/names.ts'
import { COLLECTED_INPUT } from '../shared/collected.ts'
import { EXAMPLE_FINGERPRINT } from '../shared/examples.ts'
import { OriginUrlInput } from '../shared/fields.ts'
import {
  Annotations,
  about,
  Closed,
  Described,
  ExternalUrls,
  FreeText,
  GitCommitInfo,
  RepoInfo,
  UserData,
} from '../shared/wire.ts'

const MAX_TARGETS = 1000

/** The types that an override may name: built-in, custom or system. */
export const OVERRIDABLE_TYPE = `^(${ATTESTATION_TYPES.map(({ name }) => name).join('|')}|custom:[a-zA-Z0-9][a-zA-Z0-9.\\-_~]*|system:[a-z_]+)$`

const Name = Type.String({
  pattern: ATTESTATION_NAME,
  maxLength: MAX_NAME,
  ...about('Name of the attestation, as in the template', 'unit-tests'),
})
const TargetName = Type.String({ pattern: TEMPLATE_NAME, maxLength: MAX_NAME })

/** The fields of every attestation, whatever its type. */
const COMMON_FIELDS = {
  attestation_name: Name,
  artifact_fingerprint: Type.Optional(
    Type.String({
      pattern: FINGERPRINT,
      ...about('Fingerprint of an artifact that was reported on the trail', EXAMPLE_FINGERPRINT),
    }),
  ),
  target_artifacts: Type.Optional(
    Type.Array(TargetName, {
      maxItems: MAX_TARGETS,
      ...about('Artifacts by their names in the template. They do not have to be reported yet', ['backend']),
    }),
  ),
  git_commit_info: Type.Optional(GitCommitInfo),
  repo_info: Type.Optional(RepoInfo),
  external_urls: Type.Optional(ExternalUrls),
  origin_url: Type.Optional(OriginUrlInput),
  user_data: Type.Optional(UserData),
  description: Type.Optional(
    Described(FreeText, 'Description, in free text', 'Builds and tests the backend'),
  ),
  annotations: Type.Optional(Annotations),
  ...COLLECTED_INPUT,
}
const CommonBody = Closed('AttestationCommon', COMMON_FIELDS)
export type CommonBody = Static<typeof CommonBody>

/** The body of a report of a type: the common fields and its own. */
export const buildBody = ({ name, fields }: AttestationType) =>
  Closed(`${toPascalCase(name)}Attestation`, { ...COMMON_FIELDS, ...fields })

/** `pull_request` becomes `PullRequest`. */
export const toPascalCase = (name: string): string =>
  name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

export const CustomBody = Closed('CustomAttestation', {
  ...COMMON_FIELDS,
  type_name: Type.String({
    pattern: CUSTOM_TYPE_NAME,
    maxLength: MAX_NAME,
    ...about('Name of the custom attestation type', 'coverage-metrics'),
  }),
  attestation_data: Type.Unknown({ description: 'Any JSON that the schema of the type allows' }),
})
export type CustomBody = Static<typeof CustomBody>

/** The types that share one operation, distinguished by `type_name`. */
export const SystemBody = Type.Unsafe<CommonBody & { type_name: string }>({
  title: 'SystemAttestation',
  description: 'A decision on a control, or an SBOM',
  anyOf: SYSTEM_TYPES.map(buildBody),
})

export const OverrideBody = Closed('OverrideAttestation', {
  ...COMMON_FIELDS,
  reason: Type.String({
    minLength: 1,
    maxLength: 65_536,
    ...about('Reason for the override', 'The failing test is known to be wrong'),
  }),
  new_compliance_status: Type.Boolean(about('The new verdict', true)),
  original_attestation_type: Type.String({
    pattern: OVERRIDABLE_TYPE,
    maxLength: MAX_NAME + 'custom:'.length,
    description:
      'Type of the overridden attestation: built-in, `custom:<type name>`, `system:decision` or `system:sbom`',
  }),
})
export type OverrideBody = Static<typeof OverrideBody>
