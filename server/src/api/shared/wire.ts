// API schemas that several resources share: git commits, repositories, links, times.
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { COMMIT, FINGERPRINT } from '../../domain/names.ts'

/** An object without additional properties. `title` names the component in the OpenAPI document. */
export const Closed = <P extends TProperties>(
  title: string,
  properties: P,
  options: { description?: string; writeOnly?: true } = {},
) => Type.Object(properties, { title, additionalProperties: false, ...options })

export const OneOf = <const T extends string[]>(
  values: readonly [...T],
  options: Record<string, unknown> = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })

/** Values to filter by; in responses the verdict is true, false or null. */
export const COMPLIANCE = ['compliant', 'non-compliant', 'unknown'] as const

export const Nullable = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] })

export const EpochSeconds = Type.Number({
  description: 'Seconds since 1970-01-01T00:00:00Z, with a fraction',
})

/** The only conversion from a stored time to epoch seconds. */
export const toEpoch = (time: Date): number => time.getTime() / 1000
export const toEpochOrNull = (time: Date | null): number | null => (time ? toEpoch(time) : null)

/** The response of most writes. */
export const OK = 'OK' as const
export const Ok = Type.Unsafe<typeof OK>({ type: 'string', const: OK, title: 'Ok' })

/** Exactly one mail address, with nothing that a mail server could read as another. */
export const MailAddress = Type.String({ format: 'email', maxLength: 254 })

export const WebAddress = Type.String({ format: 'uri', maxLength: 2048 })

/** For links that some clients send as an empty string instead of omitting them. */
export const WebAddressOrEmpty = Type.Unsafe<string>({
  anyOf: [WebAddress, { type: 'string', maxLength: 0 }],
})

/** A git remote: a URL, `git@host:path` or a folder. Stored as text; shown as a link only if it is a web address. */
export const RepositoryAddress = Type.String({ format: 'repository-address', maxLength: 2048 })

/** For fields where clients also send a word or a file path. Rejects script URLs and other dangerous schemes. */
export const LooseAddress = (maxLength: number, more: { description?: string; examples?: string[] } = {}) =>
  Type.String({ format: 'loose-address', maxLength, ...more })

export const Tags = Type.Record(Type.String(), Type.String(), { title: 'Tags' })

const MAX_TEXT = 65_536

export const FreeText = Type.String({ maxLength: MAX_TEXT })

const MAX_NAME_PART = 200

/** Search text for trails and artifacts (`names-store.ts`). */
export const NamePart = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_NAME_PART,
    description: 'Only return those whose name contains this text at the start of a word (case-insensitive)',
  }),
)

export const GitCommitInfo = Closed('GitCommitInfo', {
  sha1: Type.String({ pattern: COMMIT }),
  message: Type.Optional(FreeText),
  author: Type.Optional(FreeText),
  author_username: Type.Optional(FreeText),
  branch: Type.Optional(FreeText),
  timestamp: Type.Optional(Type.Number()),
  url: Type.Optional(RepositoryAddress),
  parents: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
  verified: Type.Optional(Type.Boolean()),
  signature_state: Type.Optional(FreeText),
  signer_username: Type.Optional(FreeText),
  signed_by_platform: Type.Optional(Type.Boolean()),
})
export type GitCommitInfo = Static<typeof GitCommitInfo>

export const REPO_PROVIDERS = [
  'github',
  'gitlab',
  'bitbucket',
  'bitbucket_cloud',
  'bitbucket_dc',
  'azure-devops',
  'azure_devops_services',
  'azure_devops_server',
  'circleci',
  'git',
  'subversion',
] as const

export const RepoInfo = Closed('RepoInfo', {
  id: Type.String({ minLength: 1, maxLength: 255 }),
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  url: RepositoryAddress,
  description: Type.Optional(FreeText),
  provider: Type.Optional(OneOf([...REPO_PROVIDERS])),
  namespace_path: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  additional_info: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type RepoInfo = Static<typeof RepoInfo>

export const ExternalUrls = Type.Record(
  Type.String({ pattern: '^[^.=]+$' }),
  Closed('ExternalUrl', {
    href: WebAddress,
    fingerprint: Type.Optional(Type.String({ pattern: FINGERPRINT })),
  }),
  { title: 'ExternalUrls', maxProperties: 100, additionalProperties: false },
)
export type ExternalUrls = Static<typeof ExternalUrls>

/** Any JSON object or array of the caller; null means none. */
export const UserData = Type.Unsafe<Record<string, unknown> | unknown[] | null>({
  type: ['object', 'array', 'null'],
  title: 'UserData',
})

/** Short custom facts, by key. */
export const Annotations = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'Annotations',
  propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: 255 },
  additionalProperties: FreeText,
  maxProperties: 100,
})
