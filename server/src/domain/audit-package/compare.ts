// Compares the attestations, files and events of an audit package with the leaves of the log.
import { ATTESTATION_TYPES } from '../attestation/types.ts'
import { commitToPart } from '../log/commit.ts'
import { printJson } from '../log/print-json.ts'
import { type Comparison, compareFields, isSame, OPERATOR_ONLY, toSeconds } from './comparison.ts'
import { numberPath, toSafePath } from './paths.ts'
import type { ProvenLeaf } from './proven-leaf.ts'
import { parseValues, toValues, type Values } from './records.ts'

/** Fields whose key in records differs from the key in reports. */
const RETURNED_AS = ATTESTATION_TYPES.flatMap(({ returned_as }) => Object.entries(returned_as))

/** The fields of an attestation that its report determines. */
export function toReportedFields(report: Values): Record<string, unknown> {
  const {
    git_commit_info,
    repo_info,
    origin_url,
    external_urls,
    annotations,
    user_data,
    description,
    collected_at,
    spooled,
    ...payload
  } = report
  return {
    ...rename(payload),
    git_commit_info: git_commit_info ?? null,
    repo_info: repo_info ?? null,
    origin_url: origin_url ?? null,
    external_urls: external_urls ?? {},
    annotations: annotations ?? {},
    user_data: user_data ?? {},
    description: description ?? '',
    collected_at: collected_at ?? null,
    spooled: spooled ?? false,
  }
}

function rename(payload: Record<string, unknown>): Record<string, unknown> {
  return RETURNED_AS.reduce((renamed, [sent, returned]) => {
    const { [sent]: value, ...others } = renamed
    return value === undefined ? renamed : { ...others, [returned]: value }
  }, payload)
}

/** Fields of an attestation that no leaf has: present names, addresses, and constants. */
const OF_THE_OPERATOR = [
  'flow_name',
  'trail_name',
  'waiting_for',
  'evidence_archive_path',
  'has_audit_package',
  'schema_version',
  'html_url',
  '_links',
]

const ATTESTED = [
  'trail_attestation_reported',
  'trail_attestation_for_artifact_reported',
  'artifact_attestation_reported',
]

export function isLeafOfAttestation({ kind, data }: ProvenLeaf, id: unknown): boolean {
  return ATTESTED.includes(kind) && typeof id === 'string' && data.attestation_id === id
}

export function compareAttestation(record: Values, leaf: ProvenLeaf): Comparison {
  const { data, contents } = leaf
  const files = listProvenFiles(leaf)
  const proven: Record<string, unknown> = {
    ...toReportedFields(parseValues(contents.get('report')) ?? {}),
    attestation_id: data.attestation_id,
    attestation_name: data.template_reference_name,
    attestation_type: data.attestation_type,
    is_compliant: data.is_compliant,
    artifact_fingerprint: data.artifact_fingerprint ?? null,
    ...listFacts(leaf),
    ...(files && { evidence_files: files, evidence_archive_fingerprint: files[0]?.sha256 ?? null }),
    reported_by: leaf.actor,
    created_at: toSeconds(leaf.happened_at),
  }
  for (const field of OF_THE_OPERATOR) delete proven[field]
  const sent = Array.isArray(record.evidence_files) ? record.evidence_files : []
  const evidence_files = sent.map(file => ({ ...toValues(file), _links: undefined }))
  const of_fields = compareFields({ ...record, evidence_files }, proven, leaf)
  const links = sent.length > 0 ? ['evidence_files._links'] : []
  const compared = { ...of_fields, operator_only: [...of_fields.operator_only, ...links] }
  if (contents.has('report')) return compared
  // Without the report, what only the report says is unproved.
  const reported = Object.keys(toReportedFields({}))
  return {
    ...compared,
    operator_only: [...compared.operator_only, ...reported],
    contradicted: compared.contradicted.filter(field => !reported.includes(field)),
  }
}

/** An imported leaf has no facts. */
function listFacts({ kind, data, parts, is_imported }: ProvenLeaf): Values {
  if (is_imported) return {}
  const { overridden, target_artifacts } = toValues(parts.facts)
  const targets = target_artifacts ?? (data.target_artifact ? [data.target_artifact] : [])
  return {
    overridden_attestation_id: overridden ?? null,
    // The name in the event of an artifact's attestation is the artifact's.
    ...(kind === 'artifact_attestation_reported' && target_artifacts === undefined
      ? {}
      : { target_artifacts: targets }),
  }
}

/** Undefined if the leaf does not say. */
function listProvenFiles({ parts, is_imported }: ProvenLeaf): Values[] | undefined {
  if (Array.isArray(parts.files)) return parts.files.map(toValues)
  if (parts.evidence === undefined && !is_imported) return []
  return undefined
}

/** Those that the leaf names, if it is of an attestation. */
export function listLoggedFiles(leaf: ProvenLeaf): readonly Values[] {
  const { evidence } = leaf.parts
  return listProvenFiles(leaf) ?? (evidence === undefined ? [] : [toValues(evidence)])
}

/** The file of an attestation, in the folder of its id. */
export function compareEvidence(path: string, sha256: string, leaf: ProvenLeaf): Comparison {
  if (!listProvenFiles(leaf) && leaf.parts.evidence === undefined) return OPERATOR_ONLY
  const files = listLoggedFiles(leaf)
  const of_content = files.filter(file => file.sha256 === sha256 || file.stored_sha256 === sha256)
  if (of_content.length === 0)
    return { ...OPERATOR_ONLY, contradicted: path.endsWith('/MISSING.txt') ? [] : ['content'] }
  const folder = path.split('/').slice(0, 2).join('/')
  const isNamed = of_content.some(({ name }) =>
    ['', '.gz', '.zst'].some(suffix => isNumbered(path, toSafePath(`${folder}/${name}${suffix}`))),
  )
  return { proved_by: [leaf.index], operator_only: isNamed ? [] : ['name'], contradicted: [] }
}

const MAX_SAME_NAMES = 20

function isNumbered(path: string, expected: string): boolean {
  return Array.from({ length: MAX_SAME_NAMES }, (_, i) => numberPath(expected, i + 1)).includes(path)
}

/** The sentence of an event with the present names in its record; undefined for an unknown kind. */
export type DescribeEvent = (record: Values) => Values | undefined

function compareEvent(record: Values, leaf: ProvenLeaf, describe?: DescribeEvent): Comparison {
  const described = describe?.(record)
  const written = Object.entries(described ?? {}).filter(([field, value]) => isSame(record[field], value))
  const proven = {
    id: leaf.event,
    kind: leaf.kind,
    actor: leaf.actor,
    timestamp: toSeconds(leaf.happened_at),
    data: record.data,
    // Another version may write another sentence.
    ...Object.fromEntries(written),
  }
  const compared = compareFields(record, proven, leaf)
  if (isRecordedData(toValues(record.data), leaf)) return compared
  return { ...compared, contradicted: [...compared.contradicted, 'data'] }
}

/** Hidden fields are in the body as commitments. */
function isRecordedData(data: Values, { data: recorded, salt }: ProvenLeaf): boolean {
  const fields = [...new Set([...Object.keys(data), ...Object.keys(recorded)])]
  return fields.every(field => {
    if (isSame(data[field], recorded[field])) return true
    const { commitment } = toValues(recorded[field])
    return typeof commitment === 'string' && commitToPart(salt, field, printJson(data[field])) === commitment
  })
}

export function compareEvents(
  records: readonly Values[],
  findLeaf: (event: string) => ProvenLeaf | undefined,
  describe?: DescribeEvent,
): Comparison {
  const compared = records.map(record => {
    const leaf = findLeaf(String(record.id))
    return leaf ? compareEvent(record, leaf, describe) : undefined
  })
  const unknown = compared.filter(each => !each).length
  const found = compared.flatMap(each => each ?? [])
  return {
    proved_by: found.flatMap(({ proved_by }) => proved_by).sort((a, b) => a - b),
    operator_only: [
      ...new Set(found.flatMap(({ operator_only }) => operator_only)),
      ...(unknown > 0 && found.length > 0 ? [`${unknown} events without a leaf`] : []),
    ],
    contradicted: compared.flatMap(
      (each, i) => each?.contradicted.map(field => `${field} of event ${records[i]?.id}`) ?? [],
    ),
  }
}
