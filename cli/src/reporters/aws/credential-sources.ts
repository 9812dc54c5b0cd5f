// Temporary credentials: from assuming a role, from the user's sign-in, or from a program.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { readBody } from '../../http/exchange.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import type { Section } from './config-files.ts'
import type { SourceParts } from './credential-parts.ts'
import type { AwsCredentials } from './sign.ts'
import { buildQuery } from './sign.ts'
import { readText } from './xml.ts'

const SESSION = 'waybill'
const STS_VERSION = '2011-06-15'

interface TokenRole {
  role: string
  /** The file that contains the identity token. */
  file: string
  session: string | undefined
}

/** For pods with a role, and for CI jobs. Reads the file each time: the token is replaced every hour. */
export async function assumeRoleWithToken(
  { role, file, session }: TokenRole,
  parts: SourceParts,
): Promise<AwsCredentials> {
  if (!isAbsolute(file)) failUsage(`The file of the identity token, ${file}, is not an absolute path`)
  return askSts(
    {
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: role,
      RoleSessionName: session || SESSION,
      WebIdentityToken: readFileSync(file, 'utf8').trim(),
    },
    undefined,
    parts,
  )
}

export async function assumeRole(
  { external_id, role_session_name, mfa_serial }: Section,
  role: string,
  source: AwsCredentials,
  parts: SourceParts,
): Promise<AwsCredentials> {
  if (mfa_serial !== undefined)
    failUsage(`The role ${role} needs a second factor, which a reporter cannot give`)
  const request = {
    Action: 'AssumeRole',
    RoleArn: role,
    RoleSessionName: role_session_name ?? SESSION,
    ...(external_id === undefined ? {} : { ExternalId: external_id }),
  }
  return askSts(request, source, parts)
}

async function askSts(
  request: Readonly<Record<string, string>>,
  credentials: AwsCredentials | undefined,
  { send }: SourceParts,
): Promise<AwsCredentials> {
  const answer = await send({
    service: 'sts',
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: buildQuery(Object.entries({ ...request, Version: STS_VERSION })),
    credentials,
  })
  const xml = (await readBody(answer)).toString('utf8')
  return {
    key_id: readText(xml, 'AccessKeyId') ?? '',
    secret: readText(xml, 'SecretAccessKey') ?? '',
    session_token: readText(xml, 'SessionToken'),
    expires_ms: Date.parse(readText(xml, 'Expiration') ?? ''),
  }
}

/** Uses the token that `aws sso login` has stored. */
export async function readFromSso(
  profile: Section,
  { env, settings, exchange, now_ms, timeout_ms }: SourceParts,
): Promise<AwsCredentials | undefined> {
  const { sso_session, sso_account_id: account_id, sso_role_name: role_name } = profile
  const session = sso_session === undefined ? profile : settings.sso_sessions.get(sso_session)
  const { sso_region: region, sso_start_url: start_url } = session ?? {}
  if (!region || !start_url || !account_id || !role_name) return undefined
  const name = createHash('sha1').update(sso_session ?? start_url)
  const file = join(env.HOME ?? '/', '.aws', 'sso', 'cache', `${name.digest('hex')}.json`)
  const token = readStoredToken(file, now_ms())
  const url = new URL(`https://portal.sso.${region}.amazonaws.com/federation/credentials`)
  url.search = buildQuery(Object.entries({ account_id, role_name }))
  const headers = { 'x-amz-sso_bearer_token': token, accept: 'application/json' }
  const answer = await exchange({ method: 'GET', url, headers, timeout_ms })
  const text = (await readBody(answer)).toString('utf8')
  if (answer.status !== 200) throw askForSignIn(`AWS answered ${answer.status}`)
  const { roleCredentials: found } = JSON.parse(text) as {
    roleCredentials: {
      accessKeyId: string
      secretAccessKey: string
      sessionToken: string
      expiration: number
    }
  }
  return {
    key_id: found.accessKeyId,
    secret: found.secretAccessKey,
    session_token: found.sessionToken,
    expires_ms: found.expiration,
  }
}

function readStoredToken(file: string, now_ms: number): string {
  let stored: { accessToken?: string; expiresAt?: string }
  try {
    stored = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Nobody has signed in yet.
    throw askForSignIn('there is no stored sign-in')
  }
  if (stored.accessToken === undefined || Date.parse(stored.expiresAt ?? '') <= now_ms)
    throw askForSignIn('the stored sign-in has ended')
  return stored.accessToken
}

const askForSignIn = (why: string): Problem =>
  new Problem(`The profile uses a sign-in, and ${why}`, { exit: 'not_allowed', hint: 'Run aws sso login.' })

/** Only with consent: a configuration file that runs programs can do anything. */
export async function readFromProcess(
  name: string,
  { credential_process: line }: Section,
  { allows_exec, env }: SourceParts,
): Promise<AwsCredentials | undefined> {
  if (line === undefined) return undefined
  if (!allows_exec)
    failUsage(
      `The AWS profile "${name}" wants to run a program for credentials: ${line}`,
      'Add --allow-exec if you trust it.',
    )
  const [program = '', ...args] = (line.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map(part =>
    part.replaceAll('"', ''),
  )
  const { stdout } = await promisify(execFile)(program, args, { env: { ...env } })
  const found = JSON.parse(stdout) as {
    AccessKeyId: string
    SecretAccessKey: string
    SessionToken?: string
    Expiration?: string
  }
  return {
    key_id: found.AccessKeyId,
    secret: found.SecretAccessKey,
    session_token: found.SessionToken,
    expires_ms: found.Expiration === undefined ? undefined : Date.parse(found.Expiration),
  }
}
