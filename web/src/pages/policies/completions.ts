// What can be written at a place in a policy: its keys, and their values, of which some are what the org has.

/** What the editor tells about the place; the shape is CodeMirror's. */
interface Asked {
  pos: number
  explicit: boolean
  state: { doc: { lineAt(pos: number): Line; line(number: number): Line } }
}

interface Line {
  number: number
  from: number
  text: string
}

export interface Offer {
  label: string
  detail?: string
  apply?: string
}

/** Values that only the server knows. */
export interface KnownValues {
  controls: (search: string) => Promise<Offer[]>
  /** The types that the org has made itself. */
  types: () => Promise<Offer[]>
  /** What attestations are called that were reported lately. */
  names: () => Promise<Offer[]>
}

const SCHEMA = 'https://waybill.example/schemas/policy/environment/v1'
const REQUIREMENT: Record<string, string> = {
  required: 'true or false',
  exceptions: 'when it is not required all the same',
}
const EXCEPTION: Record<string, string> = { if: 'an expression' }

/** By the keys around it. */
const KEYS: Record<string, Record<string, string>> = {
  '': { _schema: 'version of the format', artifacts: 'what is asked of them' },
  artifacts: {
    provenance: 'a flow has reported it',
    'trail-compliance': 'its trail is compliant',
    attestations: 'what it must have',
  },
  'artifacts.provenance': REQUIREMENT,
  'artifacts.trail-compliance': REQUIREMENT,
  'artifacts.provenance.exceptions': EXCEPTION,
  'artifacts.trail-compliance.exceptions': EXCEPTION,
  'artifacts.attestations': {
    type: 'kind of attestation',
    name: 'any unless told',
    if: 'only when true',
    must_be_compliant: 'false: to be there is enough',
    for_control: 'only for decisions',
  },
}

/** Keys that something deeper follows. */
const NESTED = new Set(['artifacts', 'provenance', 'trail-compliance', 'attestations', 'exceptions'])

const VALUES: Record<string, string[]> = {
  _schema: [SCHEMA],
  required: ['true', 'false'],
  must_be_compliant: ['true', 'false'],
  type: ['generic', 'junit', 'snyk', 'pull_request', 'jira', 'sonar', 'decision', 'sbom', '"*"'],
  if: [
    'flow.name == ""',
    'exists(flow)',
    'exists(flow.tags.risk) and flow.tags.risk == "high"',
    'matches(artifact.name, "")',
    'artifact.fingerprint == ""',
  ].map(expression => `\${{ ${expression} }}`),
}

const KEY_BEING_WRITTEN = /^(\s*(?:- )?\s*)([\w-]*)$/
const VALUE_BEING_WRITTEN = /^\s*(?:- )?\s*([\w-]+):\s+(.*)$/

export function policyCompletions(known: KnownValues) {
  return async ({ pos, explicit, state }: Asked) => {
    const line = state.doc.lineAt(pos)
    const written = line.text.slice(0, pos - line.from)
    const value = VALUE_BEING_WRITTEN.exec(written)
    if (value) {
      const [, key = '', begun = ''] = value
      return { from: pos - begun.length, options: await valuesOf(key, begun, known), filter: true }
    }
    const key = KEY_BEING_WRITTEN.exec(written)
    if (!key || (key[2] === '' && !explicit)) return null
    const above = Array.from({ length: line.number - 1 }, (_, index) => state.doc.line(index + 1).text)
    const options = keysIn(keysAround(above, key[1]?.length ?? 0))
    return { from: pos - (key[2]?.length ?? 0), options }
  }
}

async function valuesOf(key: string, begun: string, known: KnownValues): Promise<Offer[]> {
  if (key === 'for_control') return known.controls(begun)
  if (key === 'name') return known.names()
  const values = (VALUES[key] ?? []).map(label => ({ label }))
  return key === 'type' ? [...values, ...(await known.types())] : values
}

function keysIn(around: string): Offer[] {
  return Object.entries(KEYS[around] ?? {}).map(([label, detail]) => ({
    label,
    detail,
    apply: NESTED.has(label) ? `${label}:` : `${label}: `,
  }))
}

/** The keys that a line of this indentation is in, from the outside in. A dash belongs to the indentation. */
function keysAround(above: string[], indentation: number): string {
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
