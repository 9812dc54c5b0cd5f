// The kinds of token issuers, as data: which claim of their tokens identifies one pipeline or service account for
// good, and what its value looks like. docs/adr/0038-keyless-issuers.md names the source for each claim.

export interface IssuerKind {
  /** For messages. */
  readonly name: string
  /** The claim that every rule must require, compared as a whole. */
  readonly pin: string
  readonly format: RegExp
  /** The expected format, for the error message about any other value. */
  readonly expected: string
  /** The addresses known to be of this kind; other addresses may be of any kind. */
  readonly issuers?: RegExp
  /** Whether the host chooses the audience of the tokens, so that there is no default for it. */
  readonly has_own_audience?: boolean
}

const NUMBER = /^[0-9]{1,20}$/
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const BARE_UUID = new RegExp(`^${UUID}$`)
/** No wildcards, and nothing that can pass for another text: control characters, invisible characters, odd spaces. */
const EXACT_TEXT = /^(?! )(?:[^*\p{C}\p{Z}]| (?! |$))+$/u
/** The same between slashes. */
const SEGMENT = '[^/*\\p{C}\\p{Z}]+(?: [^/*\\p{C}\\p{Z}]+)*'
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

const NUMBER_OF_REPOSITORY = 'Input should be the number of the repository'
const WHOLE_SUBJECT =
  'Input should be the whole subject: no wildcard, no invisible characters, single spaces only between other characters'

export const ISSUER_KINDS = {
  github: {
    name: 'GitHub Actions',
    pin: 'repository_id',
    format: NUMBER,
    expected: NUMBER_OF_REPOSITORY,
    issuers: /^https:\/\/token\.actions\.githubusercontent\.com(\/|$)/,
  },
  gitlab: {
    name: 'GitLab',
    pin: 'project_id',
    format: NUMBER,
    expected: NUMBER_OF_REPOSITORY,
    issuers: /^https:\/\/gitlab\.com(\/|$)/,
  },
  circleci: {
    name: 'CircleCI',
    pin: 'oidc.circleci.com/project-id',
    format: BARE_UUID,
    expected: 'Input should be the id of the project: a UUID in lower case',
    issuers: /^https:\/\/oidc\.circleci\.com\//,
    has_own_audience: true,
  },
  bitbucket: {
    name: 'Bitbucket Pipelines',
    pin: 'repositoryUuid',
    format: new RegExp(`^\\{${UUID}\\}$`),
    expected: 'Input should be the UUID of the repository: in braces, in lower case',
    issuers: /^https:\/\/api\.bitbucket\.org\//,
    has_own_audience: true,
  },
  buildkite: {
    name: 'Buildkite',
    pin: 'pipeline_id',
    format: BARE_UUID,
    expected: 'Input should be the id of the pipeline: a UUID in lower case',
    issuers: /^https:\/\/agent\.buildkite\.com(\/|$)/,
  },
  azure: {
    name: 'Azure Pipelines',
    pin: 'sub',
    // The issuer of the organization, and the one of the directory that replaces it.
    format: new RegExp(
      `^(?:sc://${SEGMENT}/${SEGMENT}/${SEGMENT}|/eid[0-9]/[A-Za-z0-9_/-]+/sc/${UUID}/${UUID})$`,
      'u',
    ),
    expected:
      'Input should be the subject of the service connection, as it is shown there: sc://organization/project/connection, or /eid1/…/sc/…',
    issuers: /^https:\/\/vstoken\.dev\.azure\.com\//,
    has_own_audience: true,
  },
  jenkins: { name: 'Jenkins', pin: 'sub', format: EXACT_TEXT, expected: WHOLE_SUBJECT },
  kubernetes: {
    name: 'Kubernetes',
    pin: 'sub',
    format: new RegExp(`^system:serviceaccount:${LABEL}:(?=[^:]{1,253}$)${LABEL}(?:\\.${LABEL})*$`),
    expected: 'Input should be system:serviceaccount:<namespace>:<name>',
  },
  generic: { name: 'any other issuer', pin: 'sub', format: EXACT_TEXT, expected: WHOLE_SUBJECT },
} as const satisfies Record<string, IssuerKind>

export type IssuerKindId = keyof typeof ISSUER_KINDS

export const ISSUER_KIND_IDS = Object.keys(ISSUER_KINDS) as IssuerKindId[]

export const getIssuerKind = (id: IssuerKindId): IssuerKind => ISSUER_KINDS[id]

/** Public issuers that are of no kind. */
const OTHER_PUBLIC_ISSUERS =
  /^https:\/\/(login\.microsoftonline\.com|sts\.windows\.net|accounts\.google\.com)(\/|$)/

/** Whether the tokens of an issuer speak for more than one organization, so that only its published keys may sign them. */
export function isPublicIssuer(issuer: string): boolean {
  return findKnownKind(issuer) !== undefined || OTHER_PUBLIC_ISSUERS.test(issuer)
}

/** The kind of an issuer, if its address reveals it. */
export function findKnownKind(issuer: string): IssuerKindId | undefined {
  return ISSUER_KIND_IDS.find(id => getIssuerKind(id).issuers?.test(issuer))
}
