// Checks documents before anything is sent: every field by the API contract, templates and policies by the
// rules of the service, and that no document appears twice.
import { parsePolicy } from '../../../server/src/domain/policy/parse.ts'
import { parseTemplate } from '../../../server/src/domain/template/parse.ts'
import type { makeBodyCheck } from '../http/check-body.ts'
import { findNearest } from '../program/nearest.ts'
import { type Document, type DocumentProblem, isMapping, type Place, type RawDocument } from './documents.ts'
import {
  type Fields,
  isKindName,
  KIND_NAMES,
  KINDS,
  type Kind,
  type KindName,
  listApplying,
  nameResource,
  readDesired,
} from './kinds.ts'
import { checkOwnership, OWNERSHIP, type Ownership } from './ownership.ts'
import { buildCreation } from './requests.ts'

export interface Checked {
  documents: Document[]
  ownership: Ownership | undefined
  problems: DocumentProblem[]
}

type BodyCheck = ReturnType<typeof makeBodyCheck>

/** Problems by field; an empty field means the whole document. */
type Found = [string, string][]

export function checkDocuments(raw: readonly RawDocument[], checkBody: BodyCheck): Checked {
  const checked: Checked = { documents: [], ownership: undefined, problems: [] }
  const places = new Map<string, Place>()
  for (const { place, content } of raw) {
    const subject = findSubject(content)
    const add = (found: Found) =>
      checked.problems.push(
        ...found.map(([field, message]) => ({
          place,
          ...(subject === undefined ? {} : { subject }),
          ...(field === '' ? {} : { field }),
          message,
        })),
      )
    if (!isMapping(content)) {
      add([['', 'is not a list of fields and values']])
      continue
    }
    const found = checkDocument(content, checkBody)
    const id = content.kind === OWNERSHIP ? OWNERSHIP : (subject ?? '')
    const first = places.get(id)
    if (first !== undefined && id !== '')
      found.push(['', `is also in ${first.file}, document ${first.document}`])
    places.set(id, first ?? place)
    if (found.length > 0) add(found)
    else if (content.kind === OWNERSHIP) checked.ownership = content as Fields & Ownership
    else checked.documents.push(toDocument(place, content))
  }
  return checked
}

function toDocument(place: Place, content: Fields): Document {
  const kind = KINDS[content.kind as KindName]
  return { place, kind: kind.kind, name: String(content[kind.key]), desired: readDesired(kind, content) }
}

function findSubject(content: unknown): string | undefined {
  if (!isMapping(content) || !isKindName(content.kind)) return undefined
  const name = content[KINDS[content.kind].key]
  return typeof name === 'string' && name !== '' ? nameResource(content.kind, name) : undefined
}

function checkDocument(content: Fields, checkBody: BodyCheck): Found {
  const { kind: word } = content
  if (word === OWNERSHIP) return checkOwnership(content)
  if (!isKindName(word)) return [['kind', describeUnknownKind(word)]]
  const kind = KINDS[word]
  const found = [
    ...findUnknownFields(kind, content),
    ...findEmptyFields(content),
    ...findMissingFields(kind, content),
  ]
  // The contract would report the same problem again in other words.
  if (found.length > 0) return found
  const desired = readDesired(kind, content)
  const { method, template, json } = buildCreation(word, String(content[kind.key]), desired)
  const wrong = checkBody({ method, template, body: json }).map(({ field, message }): [string, string] => [
    field,
    message,
  ])
  return [...wrong, ...findTextProblems(content)]
}

function describeUnknownKind(word: unknown): string {
  const kinds = [...KIND_NAMES, OWNERSHIP]
  if (typeof word !== 'string') return `is missing: one of ${kinds.join(', ')}`
  const nearest = findNearest(word, kinds)
  return `"${word}" is not known. ${nearest === undefined ? `The kinds are ${kinds.join(', ')}` : `Did you mean ${nearest}?`}`
}

function findUnknownFields(kind: Kind, content: Fields): Found {
  const names = kind.fields.map(({ name }) => name)
  const applying = listApplying(kind, content).map(({ name }) => name)
  return Object.keys(content).flatMap((field): Found => {
    if (field === 'kind' || field === kind.key || applying.includes(field)) return []
    const known = kind.fields.find(({ name }) => name === field)
    if (known !== undefined) return [[field, known.applies_to ?? 'does not apply']]
    const nearest = findNearest(field, names)
    const hint = nearest === undefined ? `The fields are ${names.join(', ')}` : `Did you mean ${nearest}?`
    return [[field, `is not a field of ${kind.title}. ${hint}`]]
  })
}

const EMPTY = 'is empty. Omit the field instead'

/** An empty value is nearly always a variable that was not set. Schemas may hold empty values. */
function findEmptyFields(content: Fields): Found {
  return Object.entries(content).flatMap(([field, value]) =>
    field === 'type_schema' ? (value === null ? [[field, EMPTY]] : []) : findEmpty(field, value),
  ) as Found
}

function findEmpty(field: string, value: unknown): Found {
  if (value === null || value === '') return [[field, EMPTY]]
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, item]) => findEmpty(`${field}.${name}`, item))
}

function findMissingFields(kind: Kind, content: Fields): Found {
  const required = listApplying(kind, content).filter(({ fallback }) => fallback === undefined)
  return [kind.key, ...required.map(({ name }) => name)].flatMap((field): Found => {
    const value = content[field]
    if (value === undefined) return [[field, 'is missing']]
    const isText = field === kind.key || kind.fields.some(({ name, is_text }) => name === field && is_text)
    if (!isText || typeof value === 'string') return []
    return [[field, `must be text. Write "${field}: |" and indent what follows`]]
  })
}

/** The service's rules for fields that contain YAML. */
function findTextProblems({ kind, template, policy_yaml }: Fields): Found {
  if (kind === 'flow') return listErrors(parseTemplate(String(template)), 'template_file')
  if (kind === 'policy') return listErrors(parsePolicy(String(policy_yaml)), 'policy_file')
  return []
}

/** Omits the message that only summarizes the others. */
function listErrors(
  parsed: { ok: true } | { ok: false; errors: Record<string, string> },
  summary: string,
): Found {
  return parsed.ok ? [] : Object.entries(parsed.errors).filter(([field]) => field !== summary)
}
