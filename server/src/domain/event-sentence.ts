// Splits an event's sentence template into parts. `{name}` is a value; `[ in trail {trail}]` is left out if one of
// its values is missing. Values come from clients, so they are never read as templates.

/** The subject of a part, if it is a person, a program or something with a page. */
export const PART_SUBJECTS = [
  'actor',
  'flow',
  'trail',
  'artifact',
  'attestation',
  'environment',
  'snapshot',
  'policy',
  'control',
] as const
type PartSubject = (typeof PART_SUBJECTS)[number]

export interface SentencePart {
  text: string
  /** Null for plain words and for values without a page. */
  about: PartSubject | null
}

interface EventNames {
  flow_name: string | null
  trail_name: string | null
  environment_name: string | null
  policy_name: string | null
  control: string | null
}

export interface DescribedEvent extends EventNames {
  actor: string
  data: Readonly<Record<string, unknown>>
}

/** Shown for a value that the event does not have. */
const UNKNOWN_VALUE = '(unknown)'
const SHORT_FINGERPRINT = 12
const MAX_VALUE = 300
/** How many expired decisions a sentence names. */
const MAX_NAMED = 3

export function writeSentence(template: string, event: DescribedEvent): SentencePart[] {
  const parts = splitOptional(template).flatMap(({ text, is_optional }) => {
    const filled = fillIn(text, event)
    if (is_optional && filled.some(part => part === undefined)) return []
    return filled.map(part => part ?? { text: UNKNOWN_VALUE, about: null })
  })
  return parts.filter(({ text }) => text !== '')
}

export const joinSentence = (parts: readonly SentencePart[]): string => parts.map(({ text }) => text).join('')

function splitOptional(template: string): { text: string; is_optional: boolean }[] {
  return template.split(/[[\]]/).map((text, i) => ({ text, is_optional: i % 2 === 1 }))
}

/** Undefined in place of a value that is missing. */
function fillIn(template: string, event: DescribedEvent): (SentencePart | undefined)[] {
  return template.split(/\{(\w+)\}/).map((piece, i) => {
    if (i % 2 === 0) return { text: piece, about: null }
    const text = readValue(piece, event)
    if (text === undefined) return undefined
    return { text, about: PART_SUBJECTS.find(subject => subject === piece) ?? null }
  })
}

/** Names as they were at the time of the event, or else as they are today. */
const READ: Readonly<Record<string, (event: DescribedEvent) => unknown>> = {
  actor: ({ actor }) => actor,
  flow: ({ data, flow_name }) => data.flow_name ?? flow_name,
  trail: ({ trail_name }) => trail_name,
  environment: ({ data, environment_name }) => data.environment_name ?? environment_name,
  policy: ({ data, policy_name }) => data.policy_name ?? policy_name,
  control: ({ data, control }) => data.identifier ?? control,
  attestation: ({ data }) => data.template_reference_name,
  // In the event of what two persons decided, they are one field.
  asked_by: ({ data }) =>
    data.asked_by ?? (data.confirmed_decision as { asked_by?: unknown } | undefined)?.asked_by,
  artifact: ({ data }) => data.artifact_name ?? data.target_artifact ?? shortenFingerprint(data),
  expired: ({ data }) => describeExpired(data.expired_decisions),
  snapshot: ({ data }) => (data.snapshot_index === undefined ? undefined : `snapshot ${data.snapshot_index}`),
  verdict: ({ data }) =>
    describeVerdict(data.is_compliant === undefined ? data.compliant : data.is_compliant),
}

function readValue(name: string, event: DescribedEvent): string | undefined {
  const read = Object.hasOwn(READ, name) ? READ[name] : undefined
  if (read) return formatValue(read(event))
  return Object.hasOwn(event.data, name) ? formatValue(event.data[name]) : undefined
}

/** Such as `decision four-eyes on control SDLC-7`. */
function describeExpired(decisions: unknown): string {
  const named = (Array.isArray(decisions) ? decisions : []).map(({ attestation_name, control }) =>
    [
      'decision',
      ...(attestation_name ? [attestation_name] : []),
      ...(control ? [`on control ${control}`] : []),
    ].join(' '),
  )
  if (named.length === 0) return 'a decision'
  const more = named.length - MAX_NAMED
  return [...named.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function shortenFingerprint({ artifact_fingerprint }: DescribedEvent['data']): string | undefined {
  return typeof artifact_fingerprint === 'string'
    ? artifact_fingerprint.slice(0, SHORT_FINGERPRINT)
    : undefined
}

function describeVerdict(compliant: unknown): string {
  if (compliant === true) return 'compliant'
  return compliant === false ? 'non-compliant' : 'unknown'
}

function formatValue(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : cut(value.map(print).join(', '))
  return cut(print(value))
}

const print = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text
}
