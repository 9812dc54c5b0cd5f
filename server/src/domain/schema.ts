// The schemas that requests and evidence share: closed objects, descriptions, texts and addresses. They are in this
// layer because an attestation type is one file: its schema, its verdict and its example.
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'

/** An object without additional properties. `title` names the component in the OpenAPI document. */
export const Closed = <P extends TProperties>(
  title: string,
  properties: P,
  options: { description?: string; writeOnly?: true } = {},
) => Type.Object(properties, { title, additionalProperties: false, ...options })

/** An object written by another tool. Only these keys are checked. */
export const Open = <P extends TProperties>(title: string, properties: P, description: string) =>
  Type.Unsafe<Static<TObject<P>> & Record<string, unknown>>(
    Type.Object(properties, { title, description, additionalProperties: true }),
  )

/** The description of a field, and an example if the type alone gives none. */
export const about = (description: string, ...examples: unknown[]) =>
  examples.length === 0 ? { description } : { description, examples }

/** The key under which `Described` keeps its text. Hidden, like the other keys of TypeBox that start with `~`. */
export const ABOUT = '~about'

/** A schema that is declared elsewhere, with the meaning that it has in this field. */
export function Described<S extends TSchema>(schema: S, description: string, ...examples: unknown[]): S {
  const own = { value: about(description, ...examples), configurable: true }
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), [ABOUT]: own }) as S
}

/** What a field of a request can name, for keys that are limited to some of it (domain/key-scope.ts). */
/** `flows` is a list with commas; a snapshot begins with the name of its environment. */
const NAMED_KINDS = ['flow', 'flows', 'flow id', 'environment', 'snapshot', 'policy'] as const
export type NamedKind = (typeof NAMED_KINDS)[number]

/** The key under which `Naming` keeps the kind. Hidden, like ABOUT. */
const NAMES = '~names'

/** A text that names something stored. Declare it at the text, also within a list or an optional field. */
export function Naming<S extends TSchema>(kind: NamedKind, schema: S): S {
  const own = { value: kind, configurable: true }
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), [NAMES]: own }) as S
}

export interface NamingField {
  /** From the outside inwards; `*` stands for each item of a list. */
  path: readonly string[]
  kind: NamedKind
}

/** The fields below a schema that name something. */
export function listNamingFields(schema: TSchema | undefined, path: readonly string[] = []): NamingField[] {
  if (schema === undefined) return []
  const { [NAMES]: kind, properties, items, anyOf, oneOf, allOf } = schema as Partial<SchemaParts>
  if (kind !== undefined) return [{ path, kind }]
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, one]) => listNamingFields(one, [...path, name])),
    ...listNamingFields(items, [...path, '*']),
    ...[anyOf, oneOf, allOf].flatMap(all => (all ?? []).flatMap(one => listNamingFields(one, path))),
  ]
}

interface SchemaParts {
  [NAMES]: NamedKind
  properties: Record<string, TSchema>
  items: TSchema
  anyOf: TSchema[]
  oneOf: TSchema[]
  allOf: TSchema[]
}

export const WebAddress = Type.String({ format: 'uri', maxLength: 2048 })

/** For links that some clients send as an empty string instead of omitting them. */
export const WebAddressOrEmpty = Type.Unsafe<string>({
  anyOf: [WebAddress, { type: 'string', maxLength: 0 }],
})

/** For fields where clients also send a word or a file path. Rejects script URLs and other dangerous schemes. */
export const LooseAddress = (maxLength: number, more: { description?: string; examples?: unknown[] } = {}) =>
  Type.String({ format: 'loose-address', maxLength, ...more })

const MAX_TEXT = 65_536

export const FreeText = Type.String({ maxLength: MAX_TEXT })

export const EXAMPLE_COMMIT = '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1'

// For commits in general: pull requests describe them with other fields than GitCommitInfo.
export const CommitMessage = Type.Optional(Described(FreeText, 'Commit message', 'Round half to even'))
export const CommitAuthor = Type.Optional(
  Described(
    FreeText,
    'Author of the commit, as recorded by git or the provider',
    'Ada Lovelace <ada@example.com>',
  ),
)
export const CommitAuthorName = Type.Optional(
  Described(FreeText, 'Name of the author at the git provider', 'ada'),
)
export const CommitBranch = Type.Optional(Described(FreeText, 'Name of the branch', 'main'))
export const CommitVerified = Type.Optional(
  Type.Boolean(about('Whether the git provider verified the commit signature', true)),
)
export const CommitSignatureState = Type.Optional(
  Described(FreeText, 'Signature state, as reported by the git provider', 'VALID'),
)

export const Decided = Type.Boolean(about('The decision: true means compliant', true))
