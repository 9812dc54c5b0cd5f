// Evidence that a person reports: the content of the form, the request, and the equivalent commands. The
// server defines the fields of each type.
import type { FormErrors } from '@mantine/form'
import { buildCurl, buildCurlWithFile, buildWaybill, fillApiPath } from '../../../parts/curl.ts'
import type { Commands } from '../../../parts/form-with-command.tsx'
import type { Schemas } from '../../../parts/schemas.ts'
import { getDayEnd } from '../../../ui/local-time.ts'
import { findFileProblem } from './files.ts'
import { attestTexts as texts } from './texts.ts'

export type Trail = Schemas['Trail']
type BuiltInType = Schemas['BuiltInAttestationType']
type Command = Pick<BuiltInType['command'], 'path' | 'arguments'>

/** The part of a trail that the evidence is about; empty for the whole trail. */
export type About = '' | `fingerprint:${string}` | `name:${string}`

export interface AttestDraft {
  /** A built-in type, or `custom:` and a type name. */
  kind: string
  attestation_name: string
  about: About
  /** Text as typed; for a boolean field, `true` or `false`. */
  fields: Record<string, string>
  description: string
  files: File[]
}

export const DECISION = 'decision'

export interface Field {
  name: string
  /** An expiry is a day, and may stay empty. */
  form: 'verdict' | 'text' | 'json' | 'control' | 'expiry'
  placeholder?: string
}

export interface Kind {
  name: string
  title: string
  summary: string
  fields: Field[]
  command: Command
  /** The request's values besides the type's fields. */
  constant: Record<string, string>
}

const REPORT_CUSTOM = '/attestations/{org}/{flow_name}/trail/{trail_name}/custom'

export function listKinds(built_in: BuiltInType[], custom: Schemas['CustomAttestationTypeList']): Kind[] {
  return [...built_in.map(toKind), ...custom.map(toCustomKind)]
}

function toKind(type: BuiltInType): Kind {
  const { name, title, summary, command, example } = type
  const { type_name, ...body } = command.body
  const constant = typeof type_name === 'string' ? { type_name } : ({} as Record<string, string>)
  const fields: Field[] =
    name === DECISION
      ? [
          { name: 'control', form: 'control' },
          { name: 'is_compliant', form: 'verdict' },
          { name: 'expires_at', form: 'expiry' },
        ]
      : Object.keys(body).map(key => toField(key, example[key]))
  return { name, title, summary, fields, command, constant }
}

/** The input for a field follows from its example value. */
function toField(name: string, example: unknown): Field {
  if (typeof example === 'boolean') return { name, form: 'verdict' }
  if (typeof example === 'string') return { name, form: 'text', placeholder: example }
  return { name, form: 'json', placeholder: JSON.stringify(example, null, 2) }
}

function toCustomKind({ name, description = '' }: Schemas['CustomAttestationType']): Kind {
  return {
    name: `custom:${name}`,
    title: name,
    summary: description,
    fields: [{ name: 'attestation_data', form: 'json' }],
    command: {
      path: REPORT_CUSTOM,
      arguments: ['custom', '--type', name, '--attestation-data', 'YOUR_DATA.json'],
    },
    constant: { type_name: name },
  }
}

export function validate(kind: Kind | undefined, draft: AttestDraft): FormErrors {
  const file_problem = findFileProblem(draft.files)
  const fields = (kind?.fields ?? []).map(field => {
    const problem = findProblem(field, draft.fields[field.name] ?? '')
    return problem === undefined ? {} : { [`fields.${field.name}`]: problem }
  })
  return {
    ...(draft.attestation_name === '' && { attestation_name: texts.attest.nameMissing }),
    ...Object.assign({}, ...fields),
    ...(kind?.name === DECISION &&
      draft.description.trim() === '' && { description: texts.decision.reasonMissing }),
    ...(file_problem !== undefined && { files: file_problem }),
  }
}

function findProblem({ form }: Field, value: string): string | undefined {
  if (form === 'expiry') return undefined
  if (value.trim() === '') return form === 'verdict' ? texts.attest.verdictMissing : texts.attest.missing
  return form === 'json' && parseJson(value) === undefined ? texts.attest.notJson : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The form shows this error next to the field.
    return undefined
  }
}

export function buildBody(kind: Kind, draft: AttestDraft, trail: Trail): Record<string, unknown> {
  const read = ({ name, form }: Field): unknown => {
    const text = draft.fields[name] ?? ''
    if (form === 'verdict') return text === '' ? 'TRUE_OR_FALSE' : text === 'true'
    if (form === 'expiry') return getDayEnd(text)
    if (form === 'json') return parseJson(text) ?? `YOUR_${name.toUpperCase()}`
    return text || `YOUR_${name.toUpperCase()}`
  }
  const values = Object.fromEntries(kind.fields.map(field => [field.name, read(field)]))
  const { is_compliant, control, expires_at } = values
  const decision = {
    control,
    ...(expires_at !== undefined && { expires_at }),
    attestation_data: { is_compliant },
  }
  const payload = kind.name === DECISION ? decision : values
  return {
    attestation_name: draft.attestation_name || 'NAME',
    ...buildTarget(draft.about, trail),
    ...kind.constant,
    ...payload,
    ...(draft.description !== '' && { description: draft.description }),
  }
}

function buildTarget(about: About, trail: Trail): object {
  if (about.startsWith('fingerprint:')) return { artifact_fingerprint: about.slice('fingerprint:'.length) }
  if (!about.startsWith('name:')) return {}
  const { sha1 = '' } = trail.git_commit_info ?? {}
  return { target_artifacts: [about.slice('name:'.length)], git_commit_info: { sha1 } }
}

/** The form field for a path of the request. */
export function findField(path: string): string | undefined {
  if (path.startsWith('attachment_file')) return 'files'
  if (/^(artifact_fingerprint|target_artifacts|git_commit_info)/.test(path)) return 'about'
  if (path.startsWith('attestation_data.is_compliant')) return 'fields.is_compliant'
  if (/^(attestation_name|description)\b/.test(path)) return undefined
  const [first = ''] = path.split(/[.[]/)
  return first === '' ? undefined : `fields.${first}`
}

export function buildCommands(org: string, kind: Kind, draft: AttestDraft, trail: Trail): Commands {
  const { about, files, description, attestation_name } = draft
  const expires_at = kind.name === DECISION ? getDayEnd(draft.fields.expires_at ?? '') : undefined
  const artifact = about.startsWith('name:') ? `${about.slice('name:'.length)}.` : ''
  const words = [
    'attest',
    ...kind.command.arguments.map(word => fillWord(word, draft)),
    '--name',
    `${artifact}${attestation_name || 'NAME'}`,
    ...(about.startsWith('fingerprint:') ? ['--fingerprint', about.slice('fingerprint:'.length)] : []),
    '--flow',
    trail.flow_name,
    '--trail',
    trail.name,
    ...(description === '' ? [] : ['--description', description]),
    ...(expires_at === undefined ? [] : ['--expires-at', String(expires_at)]),
    ...files.flatMap(({ name }) => ['--attachments', name]),
  ]
  const path = fillApiPath(kind.command.path, { org, flow_name: trail.flow_name, trail_name: trail.name })
  const body = buildBody(kind, draft, trail)
  const parts = files.map(({ name }) => ({ part: 'attachment_file', file: name }))
  return {
    waybill: buildWaybill(words, org),
    curl: files.length === 0 ? buildCurl('POST', path, body) : buildCurlWithFile('POST', path, body, parts),
    ...(kind.fields.some(({ form }) => form === 'json') && { note: texts.attest.payloadNote }),
  }
}

/** Replaces placeholders with typed values; values that a tool writes into a file remain placeholders. */
function fillWord(word: string, { fields }: AttestDraft): string {
  if (word === 'YOUR_CONTROL') return fields.control || word
  if (word === 'YOUR_GIT_HOST') return fields.git_provider || word
  return word.replace('TRUE_OR_FALSE', fields.is_compliant || 'TRUE_OR_FALSE')
}
