// Defines attestation types. A type is one file in types/; types.ts lists them, and operations, templates, policies,
// overrides, filters, documentation and the web app follow from the list.
import type { Static, TObject, TProperties } from 'typebox'

export interface AttestationVerdict {
  is_compliant: boolean
  expected: string
  found: string
}

type Payload<F extends TProperties> = Static<TObject<F>>

/** The artifact that the attestation is about, if it names one. */
interface About {
  artifact_fingerprint?: string | undefined
}

/** A hash in the body that one of the attached files must have. */
export interface FileHashes {
  /** Where the body has it. */
  field: string
  given: string
  accepted: readonly string[]
}

interface Definition<F extends TProperties> {
  /** In templates, rules, overrides and filters, and in the path that it is reported to. */
  name: string
  /**
   * Reported to the operation `system` with a `type_name`, and stored with the prefix `system:`. New types do not
   * need it.
   */
  is_system?: true
  /** The object of "Report …" in the summary of the operation; the title in lists follows from it. */
  subject: string
  /** One phrase without a full stop that begins with "Compliant when". */
  summary: string
  /** The fields of the body besides those that every attestation has. */
  fields: F
  /** Fields whose name in responses differs from the name in requests. */
  returned_as?: Partial<Record<keyof F & string, string>>
  /** Whether the reporter states the verdict, so that there is nothing to explain. */
  is_stated?: true
  evaluate(payload: Payload<F> & About): AttestationVerdict
  /** If files are attached, one of them must have one of these hashes. */
  listFileHashes?(payload: Payload<F>): FileHashes
  /** The control that the attestation is a decision on. */
  getControl?(payload: Payload<F>): string
  /** When it stops counting, in epoch seconds; undefined if never. */
  getExpiry?(payload: Payload<F>): number | undefined
  /** Facts from one of the fields that are also annotations; the reporter may send them, but no other values. */
  annotations?: { from: keyof F & string; read(payload: Payload<F>): Record<string, string> }
  /** The body of a valid request, for the API documentation. */
  example: {
    attestation_name: string
    description?: string
    annotations?: Record<string, string>
  } & Payload<F>
  /**
   * The payload in the request that supplies missing evidence. Its placeholders are rejected: nobody may record a
   * made-up result.
   */
  command: Record<string, unknown>
  /** The same for the command line, as arguments of `waybill attest`. */
  arguments: readonly string[]
}

/** A type as listed: without its field types, which only its own functions need. */
export interface AttestationType {
  name: string
  /** The `attestation_type` of stored attestations. */
  stored_name: string
  is_system: boolean
  /** The last segment of the path to which reports of this type are sent. */
  operation: string
  subject: string
  title: string
  summary: string
  fields: TProperties
  returned_as: Readonly<Record<string, string>>
  is_stated: boolean
  evaluate(payload: object): AttestationVerdict
  listFileHashes(payload: object): FileHashes | null
  getControl(payload: object): string | null
  getExpiry(payload: object): number | null
  annotations: { from: string; read(payload: object): Record<string, string> } | null
  example: { attestation_name: string }
  command: Record<string, unknown>
  arguments: readonly string[]
}

const SYSTEM = 'system'

/** The prefix of stored names of system types. */
export const SYSTEM_PREFIX = `${SYSTEM}:`

export function defineAttestationType<const F extends TProperties>(type: Definition<F>): AttestationType {
  const { name, is_system = false, subject, getControl, getExpiry } = type
  const erased = type as unknown as AttestationType
  return {
    ...erased,
    stored_name: is_system ? SYSTEM_PREFIX + name : name,
    is_system,
    operation: is_system ? SYSTEM : name,
    title: toTitle(subject),
    returned_as: erased.returned_as ?? {},
    is_stated: type.is_stated ?? false,
    listFileHashes: payload => type.listFileHashes?.(payload as Payload<F>) ?? null,
    getControl: payload => getControl?.(payload as Payload<F>) ?? null,
    getExpiry: payload => getExpiry?.(payload as Payload<F>) ?? null,
    annotations: erased.annotations ?? null,
    example: { ...SHARED_EXAMPLE, ...type.example },
  }
}

/** "a static analysis" becomes "Static analysis". */
function toTitle(subject: string): string {
  const noun = subject.replace(/^an? /, '')
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}

const EXAMPLE_SHA1 = '6a3f1d0e2b9c4875a1e0d9c8b7a6f5e4d3c2b1a0'

export const EXAMPLE_COMMIT_INFO = {
  sha1: EXAMPLE_SHA1,
  message: 'Check the address before the order is sent',
  author: 'Mira Novak <mira@acme.example>',
  branch: 'main',
  timestamp: 1_772_530_000,
  url: `https://git.acme.example/acme/backend/commit/${EXAMPLE_SHA1}`,
}

/** The common fields in the examples of all types. */
export const SHARED_EXAMPLE = {
  git_commit_info: EXAMPLE_COMMIT_INFO,
  origin_url: 'https://ci.acme.example/builds/42',
  user_data: {},
}
