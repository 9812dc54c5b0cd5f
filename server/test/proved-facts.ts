// The facts in the records of an audit package that the verifier calls proved, as sentences to compare.
import { formatJson } from '../src/domain/audit-package/seal.ts'
import type { PackageVerification } from '../src/verifier/package.ts'
import type { PackedFile } from './altered-package.ts'

type Json = Record<string, unknown>

export const isRecord = ({ name }: PackedFile): boolean =>
  /^(attestations\/.*|artifacts\/.*|trail|artifact|snapshot|control)(\.json)?$/.test(name)

const parse = ({ content }: PackedFile): unknown => JSON.parse(content.toString('utf8'))

const toRecords = (file: PackedFile): Json[] => [parse(file)].flat() as Json[]

/** Evidence is proved only for what the package is about. */
function nameSubject(files: readonly PackedFile[]): { evidence: string; snapshot: string } {
  const read = (name: string) => files.filter(file => file.name === name).flatMap(toRecords)[0]
  const [trail, artifact, snapshot] = ['trail.json', 'artifact.json', 'snapshot.json'].map(read)
  return {
    evidence: String(trail?.id ?? artifact?.fingerprint ?? ''),
    snapshot: `${snapshot?.environment_id}/${snapshot?.index}`,
  }
}

function identify(name: string, record: Json, subject: ReturnType<typeof nameSubject>): string {
  if (name.startsWith('attestations/')) return `${record.attestation_id} for ${subject.evidence}`
  if (name.startsWith('artifacts/')) return `${record.fingerprint} in ${subject.snapshot}`
  return String(name === 'snapshot.json' ? subject.snapshot : (record.identifier ?? record.id))
}

/** Without what only the operator says: `a`, or `b` in each item of `a` for `a.b`. */
function listFacts(record: Json, operator_only: readonly string[]): string[] {
  return Object.entries(record).flatMap(([field, value]) => {
    if (operator_only.includes(field)) return []
    const nested = operator_only.flatMap(each =>
      each.startsWith(`${field}.`) ? [each.slice(field.length + 1)] : [],
    )
    if (nested.length === 0) return [`${field} = ${JSON.stringify(value)}`]
    const items = [value].flat() as Json[]
    return items.flatMap(item => listFacts(item, nested).map(fact => `${field} ${item.id ?? ''} ${fact}`))
  })
}

export function listProvedFacts(files: readonly PackedFile[], { shown }: PackageVerification): string[] {
  const subject = nameSubject(files)
  return files.filter(isRecord).flatMap(file => {
    const { proved_by = [], operator_only = [] } = shown.find(each => each.file === file.name) ?? {}
    if (proved_by.length === 0 || operator_only.includes('artifacts that exited')) return []
    return toRecords(file).flatMap(record =>
      listFacts(record, operator_only).map(fact => `${identify(file.name, record, subject)}: ${fact}`),
    )
  })
}

/** The values in the records, from which alterations are drawn. */
export function listValues(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return Object.values(value).flatMap(listValues)
}

/** Replaces the nth value in a record. */
export function replaceValue(file: PackedFile, nth: number, other: unknown): PackedFile {
  let left = nth % Math.max(1, listValues(parse(file)).length)
  const replace = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return left-- === 0 ? other : value
    if (Array.isArray(value)) return value.map(replace)
    return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, replace(each)]))
  }
  return { ...file, content: Buffer.from(formatJson(replace(parse(file)))) }
}
