// Suggestions for the policy editor: the keys allowed at a place, and their values, some of which come from the org.
import { policiesTexts } from './texts.ts'

/** The part of CodeMirror's completion context that is used here. */
interface CompletionContext {
  pos: number
  explicit: boolean
  state: { doc: { lineAt(pos: number): Line; line(number: number): Line } }
}

interface Line {
  number: number
  from: number
  text: string
}

export interface Suggestion {
  label: string
  detail?: string
  apply?: string
}

/** Values that come from the server. */
export interface KnownValues {
  controls: (search: string) => Promise<Suggestion[]>
  /** The built-in types and the custom types of the org. */
  types: () => Promise<Suggestion[]>
  /** Names of recently reported attestations. */
  names: () => Promise<Suggestion[]>
}

const SCHEMA = 'https://waybill.example/schemas/policy/environment/v1'
const texts = policiesTexts.completions
const REQUIREMENT: Record<string, string> = { required: texts.required, exceptions: texts.exceptions }
const EXCEPTION: Record<string, string> = { if: texts.exceptionIf }

/** Allowed keys by the path of their parents. */
const KEYS: Record<string, Record<string, string>> = {
  '': { _schema: texts.schema, artifacts: texts.artifacts },
  artifacts: {
    provenance: texts.provenance,
    'trail-compliance': texts.trailCompliance,
    attestations: texts.attestations,
  },
  'artifacts.provenance': REQUIREMENT,
  'artifacts.trail-compliance': REQUIREMENT,
  'artifacts.provenance.exceptions': EXCEPTION,
  'artifacts.trail-compliance.exceptions': EXCEPTION,
  'artifacts.attestations': {
    type: texts.type,
    name: texts.name,
    if: texts.if,
    must_be_compliant: texts.mustBeCompliant,
    for_control: texts.forControl,
  },
}

/** Keys with nested content. */
const NESTED = new Set(['artifacts', 'provenance', 'trail-compliance', 'attestations', 'exceptions'])

const VALUES: Record<string, string[]> = {
  _schema: [SCHEMA],
  required: ['true', 'false'],
  must_be_compliant: ['true', 'false'],
  type: ['"*"'],
  if: [
    'flow.name == ""',
    'exists(flow)',
    'exists(flow.tags.risk) and flow.tags.risk == "high"',
    'matches(artifact.name, "")',
    'artifact.fingerprint == ""',
  ].map(expression => `\${{ ${expression} }}`),
}

const PARTIAL_KEY = /^(\s*(?:- )?\s*)([\w-]*)$/
const PARTIAL_VALUE = /^\s*(?:- )?\s*([\w-]+):\s+(.*)$/

export function buildCompletionSource(known: KnownValues) {
  return async ({ pos, explicit, state }: CompletionContext) => {
    const line = state.doc.lineAt(pos)
    const typed = line.text.slice(0, pos - line.from)
    const value = PARTIAL_VALUE.exec(typed)
    if (value) {
      const [, key = '', prefix = ''] = value
      return { from: pos - prefix.length, options: await listValues(key, prefix, known), filter: true }
    }
    const key = PARTIAL_KEY.exec(typed)
    if (!key || (key[2] === '' && !explicit)) return null
    const above = Array.from({ length: line.number - 1 }, (_, index) => state.doc.line(index + 1).text)
    const options = listKeys(findParentKeys(above, key[1]?.length ?? 0))
    return { from: pos - (key[2]?.length ?? 0), options }
  }
}

async function listValues(key: string, prefix: string, known: KnownValues): Promise<Suggestion[]> {
  if (key === 'for_control') return known.controls(prefix)
  if (key === 'name') return known.names()
  const values = (VALUES[key] ?? []).map(label => ({ label }))
  return key === 'type' ? [...values, ...(await known.types())] : values
}

function listKeys(around: string): Suggestion[] {
  return Object.entries(KEYS[around] ?? {}).map(([label, detail]) => ({
    label,
    detail,
    apply: NESTED.has(label) ? `${label}:` : `${label}: `,
  }))
}

/** The parent keys of a line with this indentation, outermost first. A dash belongs to the indentation. */
function findParentKeys(above: string[], indentation: number): string {
  const keys: string[] = []
  let within = indentation
  for (const text of above.toReversed()) {
    const [, space = '', key] = /^(\s*(?:- )?\s*)([\w-]+):/.exec(text) ?? []
    if (key === undefined || space.length >= within) continue
    keys.unshift(key)
    within = space.length
  }
  return keys.join('.')
}
