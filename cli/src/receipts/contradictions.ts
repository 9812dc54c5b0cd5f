// Compares what was recorded with what was sent. The service adds ids, times and names to an event, and splits a
// request into several: only what both must say is compared.
import { commitToPart } from '../../../server/src/domain/log/commit.ts'
import { parseJson, toValues, type Values } from '../../../server/src/verifier/json.ts'
import type { Call } from '../http/call.ts'

/** Fields of a request, and of the data of its event. */
type Pairs = readonly (readonly [sent: string, recorded: string])[]

const ATTESTATION: Pairs = [
  ['artifact_fingerprint', 'artifact_fingerprint'],
  ['is_compliant', 'is_compliant'],
]
const ATTESTATIONS = [
  'trail_attestation_reported',
  'trail_attestation_for_artifact_reported',
  'artifact_attestation_reported',
]

const SAME: Readonly<Record<string, Pairs>> = {
  ...Object.fromEntries(ATTESTATIONS.map(kind => [kind, ATTESTATION])),
  artifact_creation_reported: [
    ['fingerprint', 'artifact_fingerprint'],
    ['filename', 'artifact_name'],
    ['git_commit', 'git_commit'],
  ],
  artifact_allow_listed: [['artifact_fingerprint', 'artifact_fingerprint']],
  policy_created: [['name', 'policy_name']],
  policy_updated: [['name', 'policy_name']],
}

/** Sentences; empty if there are none. */
export function findContradictions(
  { json, parts = [] }: Pick<Call, 'json' | 'parts'>,
  recorded: { salt: string | null; body: string | null },
): string[] {
  if (recorded.salt === null || recorded.body === null) return []
  const sent = json === undefined ? readJsonPart(parts) : toValues(json)
  const { kind, data, parts: covered } = parseJson(recorded.body) ?? {}
  const name = String(kind)
  return [
    ...compareFields(SAME[name] ?? [], sent, toValues(data)),
    ...compareName(name, sent, toValues(data)),
    ...comparePolicy(sent, toValues(covered), Buffer.from(recorded.salt, 'base64')),
    ...(ATTESTATIONS.includes(name) ? compareFiles(parts, toValues(covered)) : []),
  ]
}

function readJsonPart(parts: NonNullable<Call['parts']>): Values {
  const part = parts.find(({ content_type, filename }) => filename === undefined && /json/.test(content_type))
  return part !== undefined && 'bytes' in part.content
    ? (parseJson(part.content.bytes.toString('utf8')) ?? {})
    : {}
}

function compareFields(pairs: Pairs, sent: Values, recorded: Values): string[] {
  return pairs.flatMap(([field, as]) => {
    const value = sent[field]
    if (value === undefined || value === null || recorded[as] === value) return []
    return [describe(field, value, recorded[as])]
  })
}

const describe = (field: string, sent: unknown, recorded: unknown): string =>
  `the command sent ${field} ${JSON.stringify(sent)}, and ${JSON.stringify(recorded ?? null)} was recorded`

/** The name of an attestation may begin with that of an artifact, which is recorded apart from it. */
function compareName(kind: string, sent: Values, recorded: Values): string[] {
  const name = sent.attestation_name
  if (!ATTESTATIONS.includes(kind) || typeof name !== 'string') return []
  const found = String(recorded.template_reference_name)
  return name === found || name.endsWith(`.${found}`) ? [] : [describe('attestation_name', name, found)]
}

function comparePolicy({ policy_yaml }: Values, covered: Values, salt: Buffer): string[] {
  const { commitment } = toValues(covered.policy_yaml)
  if (typeof policy_yaml !== 'string' || commitment === undefined) return []
  return commitToPart(salt, 'policy_yaml', policy_yaml) === commitment
    ? []
    : ['another policy was recorded than the command sent']
}

function compareFiles(parts: NonNullable<Call['parts']>, { files }: Values): string[] {
  const recorded = Array.isArray(files) ? files.map(file => toValues(file).sha256) : []
  return parts.flatMap(({ sha256, filename }) =>
    sha256 === undefined || recorded.includes(sha256)
      ? []
      : [`the command sent the file ${filename} (SHA-256 ${sha256}), which was not recorded`],
  )
}
