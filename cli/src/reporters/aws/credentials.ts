// Finds AWS credentials, in the order of all AWS tools: flags, variables, an identity token, the user's
// profile, the container, the machine. Reuses them until shortly before they expire.
import type { Environment } from '../../ci/systems.ts'
import { Problem } from '../../program/problem.ts'
import { makeSendToAws } from './client.ts'
import type { CredentialParts, SourceParts } from './credential-parts.ts'
import { assumeRole, assumeRoleWithToken, readFromProcess, readFromSso } from './credential-sources.ts'
import { readFromContainer, readFromMachine } from './metadata.ts'
import type { AwsCredentials } from './sign.ts'

/** Roles can be assumed one after the other; a longer chain is a circle. */
const LONGEST_CHAIN = 5
const RENEW_BEFORE_MS = 5 * 60_000

export function makeGetCredentials(parts: CredentialParts): () => Promise<AwsCredentials> {
  const sources: SourceParts = { ...parts, send: makeSendToAws(parts) }
  let found: AwsCredentials | undefined
  return async () => {
    const ends = found?.expires_ms ?? Number.POSITIVE_INFINITY
    if (found === undefined || ends - RENEW_BEFORE_MS <= parts.now_ms()) found = await find(sources)
    return found
  }
}

async function find(parts: SourceParts): Promise<AwsCredentials> {
  const { env, settings, given } = parts
  const found =
    given ??
    readFromVariables(env) ??
    (await readFromToken(parts)) ??
    (await readFromProfile(settings.profile, parts, LONGEST_CHAIN)) ??
    (await readFromContainer(parts)) ??
    (await readFromMachine(parts))
  if (found !== undefined) return found
  throw new Problem('There are no credentials for AWS', {
    exit: 'not_allowed',
    hint: 'Set AWS_PROFILE or AWS_ACCESS_KEY_ID, or give this machine a role. docs/reporters.md lists the sources.',
  })
}

function readFromVariables(env: Environment): AwsCredentials | undefined {
  const { AWS_ACCESS_KEY_ID: key_id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN } = env
  if (!key_id || !secret) return undefined
  return { key_id, secret, session_token: AWS_SESSION_TOKEN || undefined }
}

async function readFromToken(parts: SourceParts): Promise<AwsCredentials | undefined> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role, AWS_ROLE_SESSION_NAME: session } = parts.env
  if (!file || !role) return undefined
  return assumeRoleWithToken({ role, file, session }, parts)
}

async function readFromProfile(
  name: string,
  parts: SourceParts,
  depth: number,
): Promise<AwsCredentials | undefined> {
  const profile = parts.settings.profiles.get(name)
  if (profile === undefined) return undefined
  const { role_arn: role, source_profile, credential_source, web_identity_token_file: file } = profile
  if (role !== undefined && file !== undefined)
    return assumeRoleWithToken({ role, file, session: profile.role_session_name }, parts)
  if (role !== undefined && depth > 0) {
    // A profile may name itself to use its own keys.
    const source =
      source_profile === name
        ? readKeys(profile)
        : source_profile !== undefined
          ? await readFromProfile(source_profile, parts, depth - 1)
          : await readFromNamedSource(credential_source, parts)
    if (source === undefined)
      throw new Problem(`The profile "${name}" has a role and no credentials to take it over with`, {
        exit: 'not_allowed',
        hint: 'It needs source_profile or credential_source.',
      })
    return assumeRole(profile, role, source, parts)
  }
  return (
    readKeys(profile) ?? (await readFromSso(profile, parts)) ?? (await readFromProcess(name, profile, parts))
  )
}

function readKeys(profile: Readonly<Record<string, string>>): AwsCredentials | undefined {
  const { aws_access_key_id: key_id, aws_secret_access_key: secret, aws_session_token } = profile
  return key_id && secret ? { key_id, secret, session_token: aws_session_token } : undefined
}

async function readFromNamedSource(
  name: string | undefined,
  parts: SourceParts,
): Promise<AwsCredentials | undefined> {
  if (name === 'Environment') return readFromVariables(parts.env)
  if (name === 'EcsContainer') return readFromContainer(parts)
  if (name === 'Ec2InstanceMetadata') return readFromMachine(parts)
  return undefined
}
