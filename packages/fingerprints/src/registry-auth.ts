// How a registry authenticates clients: the challenge in WWW-Authenticate, basic authentication, and tokens.
import { parseObject, toText } from './json.ts'
import { FingerprintProblem } from './problem.ts'
import { type ImageReference, isLoopback } from './reference.ts'
import { type Network, sendRequest } from './registry-fetch.ts'

const TOKEN_BYTES = 1024 * 1024
const CLIENT_ID = 'waybill'

/** The credentials for a registry, and where they were found, for messages. */
export type Credentials =
  | { kind: 'password'; username: string; password: string; source: string }
  /** Can only be exchanged for a token at the token server. */
  | { kind: 'identity_token'; token: string; source: string }
  /** Sent to the registry unchanged. */
  | { kind: 'registry_token'; token: string; source: string }

/** Looks up credentials for an image. Without any, requests to the registry are anonymous. */
export type FindCredentials = (image: ImageReference) => Promise<Credentials | undefined>

export interface Challenge {
  scheme: string
  parameters: Readonly<Record<string, string>>
}

export interface AuthQuestion {
  image: ImageReference
  /** The URL that returned 401. */
  url: URL
  header: string | null
  credentials: Credentials | undefined
}

/** The header for repeating the request after a 401. */
export async function answerChallenge(network: Network, question: AuthQuestion): Promise<string> {
  const challenges = parseChallenges(question.header ?? '')
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer')
  if (bearer) return `Bearer ${await requestToken(network, bearer, question)}`
  if (challenges.some(({ scheme }) => scheme === 'basic')) return formatBasic(question)
  const message = `${question.url.host} asks for credentials in a way that is not supported: ${question.header ?? 'none'}.`
  throw new FingerprintProblem('not_allowed', message)
}

export function explainDenied({ image, url, credentials }: Omit<AuthQuestion, 'header'>): FingerprintProblem {
  const tried = credentials ? `the credentials from ${credentials.source}` : 'requests without credentials'
  const message =
    `${url.host} refuses ${tried} for ${image.registry}/${image.repository}. The image may not exist, or you may not ` +
    `read it. Log in with \`docker login ${image.registry}\` or pass other credentials.`
  return new FingerprintProblem('not_allowed', message)
}

/** `Bearer realm="…",scope="a,b", Basic realm="x"`: parameter names in any case, values as they are. */
export function parseChallenges(header: string): Challenge[] {
  const found: { scheme: string; parameters: Record<string, string> }[] = []
  const item = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?[\s,]*/gy
  for (let match = item.exec(header.trim()); match !== null; match = item.exec(header.trim())) {
    const [, name = '', quoted, plain] = match
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain
    if (value === undefined) found.push({ scheme: name.toLowerCase(), parameters: {} })
    else Object.assign(found.at(-1)?.parameters ?? {}, { [name.toLowerCase()]: value })
  }
  return found
}

function formatBasic(question: AuthQuestion): string {
  const { credentials } = question
  if (credentials?.kind !== 'password') throw explainDenied(question)
  return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
}

async function requestToken(
  network: Network,
  { parameters }: Challenge,
  question: AuthQuestion,
): Promise<string> {
  const realm = checkRealm(parameters.realm, question)
  const { credentials } = question
  const fields = new URLSearchParams({ scope: pickScope(parameters.scope, question.image) })
  if (parameters.service !== undefined) fields.set('service', parameters.service)
  const common = { accept: 'application/json', limit_bytes: TOKEN_BYTES }
  if (credentials?.kind === 'identity_token') {
    fields.set('grant_type', 'refresh_token')
    fields.set('refresh_token', credentials.token)
    fields.set('client_id', CLIENT_ID)
    return readToken(
      await sendRequest(network, { ...common, url: realm.href, form: fields.toString() }),
      question,
    )
  }
  for (const [name, value] of fields) realm.searchParams.set(name, value)
  const authorization = credentials ? formatBasic(question) : undefined
  return readToken(await sendRequest(network, { ...common, url: realm.href, authorization }), question)
}

/** Credentials go to the realm, so it must be as secure as the registry itself. */
function checkRealm(text: string | undefined, { url }: AuthQuestion): URL {
  try {
    const realm = new URL(text ?? '')
    const isSameHost =
      realm.hostname === url.hostname && url.protocol === 'http:' && realm.protocol === 'http:'
    if (realm.protocol === 'https:' || isSameHost) return realm
  } catch {
    // Refused below, like any other unusable address.
  }
  const message =
    `${url.host} names the token server ${JSON.stringify(text ?? '')}. It must be an https:// address, so that ` +
    'nobody on the way can read the credentials.'
  throw new FingerprintProblem('invalid', message)
}

/** A registry behind a mirror knows the right scope; the token only ever allows reading. */
function pickScope(asked: string | undefined, { repository }: ImageReference): string {
  return asked !== undefined && /^repository:[^\s:]+:pull$/.test(asked)
    ? asked
    : `repository:${repository}:pull`
}

function readToken(
  { status, body, url }: Awaited<ReturnType<typeof sendRequest>>,
  question: AuthQuestion,
): string {
  if (status === 401 || status === 403 || status === 400) throw explainDenied({ ...question, url })
  if (status !== 200) {
    const message = `The token server ${url.host} answers with status ${status}. Try again later.`
    throw new FingerprintProblem('unreachable', message)
  }
  const answer = parseObject(body.toString('utf8'))
  const token = toText(answer?.token) ?? toText(answer?.access_token)
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token
  throw new FingerprintProblem('invalid', `The token server ${url.host} sent no token.`)
}

/** Registries on this machine usually have no certificate. */
export function getScheme(host: string, plain_http: boolean | undefined): 'http' | 'https' {
  return (plain_http ?? isLoopback(host)) ? 'http' : 'https'
}
