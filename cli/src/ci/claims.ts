// Reads the claims of an identity token to show which trust rule would accept it. Verifies nothing: only the
// service decides who a job is.
import { failUsage } from '../program/problem.ts'
import type { CiJob } from './detect.ts'

type Claims = Readonly<Record<string, unknown>>

/** The issuer kind, as trust rules name it, and the claim that it pins. CI systems have the same ids. */
const PINS: Readonly<Record<string, string>> = {
  github: 'repository_id',
  gitlab: 'project_id',
  circleci: 'oidc.circleci.com/project-id',
  bitbucket: 'repositoryUuid',
  buildkite: 'pipeline_id',
  azure: 'sub',
  jenkins: 'sub',
  kubernetes: 'sub',
  generic: 'sub',
}

export interface TrustRule {
  name: string
  issuer: string
  issuer_kind: string
  audience: string
  claims: Readonly<Record<string, string>>
  privilege: string
}

export interface RuleOptions {
  ci: CiJob | undefined
  name: string
  privilege: string
  /** The audience of the token. */
  audience: string
}

/** The rule that accepts this token and every later one of the same repository, pipeline or account. */
export function buildRule(token: string, { ci, name, privilege, audience }: RuleOptions): TrustRule {
  const claims = readClaims(token)
  const issuer_kind = findKind(ci, String(claims.sub ?? ''))
  const pin = PINS[issuer_kind] ?? 'sub'
  const value = claims[pin]
  if (typeof value !== 'string' && typeof value !== 'number')
    failUsage(`The token has no claim ${pin}, which a rule of the kind ${issuer_kind} pins`)
  return {
    name,
    issuer: readText(claims, 'iss'),
    issuer_kind,
    audience: findAudience(claims, audience),
    claims: { [pin]: String(value) },
    privilege,
  }
}

function findKind(ci: CiJob | undefined, subject: string): string {
  if (ci !== undefined) return ci.system.id
  return subject.startsWith('system:serviceaccount:') ? 'kubernetes' : 'generic'
}

/** A token can have several audiences. Prefer the requested one. */
function findAudience(claims: Claims, wanted: string): string {
  const given = [claims.aud].flat().filter(each => typeof each === 'string')
  const [first] = given
  if (first === undefined) failUsage('The token names no audience (aud)')
  return given.includes(wanted) ? wanted : first
}

function readText(claims: Claims, name: string): string {
  const value = claims[name]
  return typeof value === 'string' ? value : failUsage(`The token has no claim ${name}`)
}

function readClaims(token: string): Claims {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Claims
  } catch {
    // Not a token.
  }
  failUsage('The identity token cannot be read: its second part is not a JSON object')
}
