// API schemas that several resources share: git commits, repositories, links, times.
import { type Static, type TSchema, Type } from 'typebox'
import { COMMIT, FINGERPRINT } from '../../domain/names.ts'
import {
  about,
  Closed,
  CommitAuthor,
  CommitAuthorName,
  CommitBranch,
  CommitMessage,
  CommitSignatureState,
  CommitVerified,
  Described,
  FreeText,
  WebAddress,
} from '../../domain/schema.ts'
import { EXAMPLE_COMMIT, EXAMPLE_TIME } from './examples.ts'

export {
  ABOUT,
  about,
  Closed,
  Described,
  FreeText,
  LooseAddress,
  Naming,
  WebAddress,
} from '../../domain/schema.ts'

export const OneOf = <const T extends string[]>(
  values: readonly [...T],
  options: Record<string, unknown> = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })

/** Values to filter by; in responses the verdict is true, false or null. */
export const COMPLIANCE = ['compliant', 'non-compliant', 'unknown'] as const

export const Nullable = <S extends TSchema>(schema: S, options: Record<string, unknown> = {}) =>
  Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }], ...options })

/** A time in a response. The description says which, without a full stop. */
export const Time = (description: string, example: number = EXAMPLE_TIME) =>
  Type.Number(about(`${description}. Seconds since 1970-01-01T00:00:00Z, with a fraction`, example))

/** A time that existing clients decode as an integer: with a fraction, they would lose the response. */
export const WholeSeconds = (description: string) =>
  Type.Integer(about(`${description}. Whole seconds since 1970-01-01T00:00:00Z`, EXAMPLE_TIME))

/** The only conversion from a stored time to epoch seconds. */
export const toEpoch = (time: Date): number => time.getTime() / 1000
export const toEpochOrNull = (time: Date | null): number | null => (time ? toEpoch(time) : null)
export const toWholeSeconds = (time: Date): number => Math.floor(toEpoch(time))

/** The response of most writes. */
export const OK = 'OK' as const
export const Ok = Type.Unsafe<typeof OK>({ type: 'string', const: OK, title: 'Ok' })

/** Exactly one mail address, with nothing that a mail server could read as another. */
export const MailAddress = Type.String({ format: 'email', maxLength: 254 })

/** A git remote: a URL, `git@host:path` or a folder. Stored as text; shown as a link only if it is a web address. */
export const RepositoryAddress = Type.String({ format: 'repository-address', maxLength: 2048 })

export const Tags = Type.Record(Type.String(), Type.String(), {
  title: 'Tags',
  ...about('Key-value labels, for filters and policies', { team: 'payments' }),
})

const MAX_NAME_PART = 200

/** Search text for trails and artifacts (`names-store.ts`). */
export const NamePart = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_NAME_PART,
    ...about(
      'Only return those whose name contains this text at the start of a word (case-insensitive)',
      'release-2026',
    ),
  }),
)

export const CommitTime = Type.Optional(
  Type.Number(about('Author time of the commit, in epoch seconds', 1_772_535_600)),
)

export const GitCommitInfo = Closed(
  'GitCommitInfo',
  {
    sha1: Type.String({
      pattern: COMMIT,
      ...about('Full SHA-1 of the commit', EXAMPLE_COMMIT),
    }),
    message: CommitMessage,
    author: CommitAuthor,
    author_username: CommitAuthorName,
    branch: CommitBranch,
    timestamp: CommitTime,
    url: Type.Optional(
      Described(
        RepositoryAddress,
        'URL of the commit',
        'https://git.example.com/acme/backend/commit/4f2c1d0b',
      ),
    ),
    parents: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 1000,
        ...about('SHA-1 of each parent commit', ['9d1c3e5f7a2b4c6d8e0f1a3b5c7d9e1f3a5b7c9d']),
      }),
    ),
    verified: CommitVerified,
    signature_state: CommitSignatureState,
    signer_username: Type.Optional(Described(FreeText, 'User name of the signer at the git provider', 'ada')),
    signed_by_platform: Type.Optional(
      Type.Boolean(about('Whether the git provider itself signed the commit', false)),
    ),
  },
  about('The git commit that it belongs to'),
)
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

export const RepoInfo = Closed(
  'RepoInfo',
  {
    id: Type.String({
      minLength: 1,
      maxLength: 255,
      ...about('Id of the repository at the git provider', '311'),
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 1024,
      ...about('Full name of the repository, with its owner', 'acme/backend'),
    }),
    url: Described(RepositoryAddress, 'URL of the repository', 'https://git.example.com/acme/backend'),
    description: Type.Optional(
      Described(FreeText, 'Description of the repository at the git provider', 'The backend'),
    ),
    provider: Type.Optional(
      OneOf([...REPO_PROVIDERS], about('Git provider that hosts the repository', 'github')),
    ),
    namespace_path: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 100,
        ...about('Groups that contain the repository, outermost first', ['acme']),
      }),
    ),
    additional_info: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Unknown(),
        about('Further facts about the repository', { default_branch: 'main' }),
      ),
    ),
  },
  about('The source repository'),
)
export type RepoInfo = Static<typeof RepoInfo>

export const ExternalUrls = Type.Record(
  Type.String({ pattern: '^[^.=]+$' }),
  Closed('ExternalUrl', {
    href: Described(WebAddress, 'The URL', 'https://tickets.example.com/PAY-42'),
    fingerprint: Type.Optional(
      Type.String({
        pattern: FINGERPRINT,
        ...about(
          'SHA-256 of the content behind the URL, to detect later changes',
          'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        ),
      }),
    ),
  }),
  {
    title: 'ExternalUrls',
    maxProperties: 100,
    additionalProperties: false,
    ...about('Links to other systems, by label', { ticket: { href: 'https://tickets.example.com/PAY-42' } }),
  },
)
export type ExternalUrls = Static<typeof ExternalUrls>

/** Any JSON object or array of the caller; null means none. */
export const UserData = Type.Unsafe<Record<string, unknown> | unknown[] | null>({
  type: ['object', 'array', 'null'],
  title: 'UserData',
  ...about('Any JSON from the reporter, returned unchanged', { pipeline: 'nightly' }),
})

/** Short custom facts, by key. */
export const Annotations = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'Annotations',
  propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: 255 },
  additionalProperties: FreeText,
  maxProperties: 100,
  ...about('Short custom facts from the reporter, by key', { ticket: 'PAY-42' }),
})
