// Gets credentials from where the program runs: an ECS or EKS container, or an EC2 machine. They come from
// addresses that exist only there, so no proxy is used.
import { readFileSync } from 'node:fs'
import { isConfidential } from '../../http/confidential.ts'
import { ConnectionProblem, readBody } from '../../http/exchange.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import type { SourceParts } from './credential-parts.ts'
import type { AwsCredentials } from './sign.ts'

const CONTAINER = 'http://169.254.170.2'
/** Container addresses that are allowed without TLS. */
const CONTAINER_HOSTS = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'])
const MACHINE = 'http://169.254.169.254'
const MACHINE_TIMEOUT_MS = 2_000
const TOKEN_SECONDS = '21600'

interface Answered {
  AccessKeyId: string
  SecretAccessKey: string
  Token: string
  Expiration: string
}

export async function readFromContainer(parts: SourceParts): Promise<AwsCredentials | undefined> {
  const { env } = parts
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env
  if (!relative && !full) return undefined
  const url = new URL(relative ? `${CONTAINER}${relative}` : (full ?? ''))
  if (!isConfidential(url) && !CONTAINER_HOSTS.has(url.hostname))
    failUsage(`AWS_CONTAINER_CREDENTIALS_FULL_URI: ${url.host} is not an address of the container`)
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
  const token = file ? readFileSync(file, 'utf8').trim() : env.AWS_CONTAINER_AUTHORIZATION_TOKEN
  const text = await ask(parts, 'GET', url, token ? { authorization: token } : {})
  return toCredentials(JSON.parse(text) as Answered)
}

/**
 * Requires a separate token, so that a program tricked into sending a request does not reveal credentials.
 */
export async function readFromMachine(parts: SourceParts): Promise<AwsCredentials | undefined> {
  const { env } = parts
  if (env.AWS_EC2_METADATA_DISABLED === 'true') return undefined
  const base = (env.AWS_EC2_METADATA_SERVICE_ENDPOINT || MACHINE).replace(/\/+$/, '')
  const roles = `${base}/latest/meta-data/iam/security-credentials/`
  try {
    const token = await ask(parts, 'PUT', new URL(`${base}/latest/api/token`), {
      'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS,
    })
    const headers = { 'x-aws-ec2-metadata-token': token }
    const [role = ''] = (await ask(parts, 'GET', new URL(roles), headers)).split('\n')
    const text = await ask(parts, 'GET', new URL(`${roles}${encodeURIComponent(role)}`), headers)
    return toCredentials(JSON.parse(text) as Answered)
  } catch (error) {
    // Not an EC2 machine, or one without a role.
    if (error instanceof ConnectionProblem || error instanceof Problem) return undefined
    throw error
  }
}

async function ask(
  { exchange_directly }: SourceParts,
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const answer = await exchange_directly({ method, url, headers, timeout_ms: MACHINE_TIMEOUT_MS })
  const bytes = await readBody(answer)
  if (answer.status !== 200)
    throw new Problem(`${url.host} gave no credentials: it answered ${answer.status}`, {
      exit: 'not_allowed',
    })
  return bytes.toString('utf8')
}

const toCredentials = ({ AccessKeyId, SecretAccessKey, Token, Expiration }: Answered): AwsCredentials => ({
  key_id: AccessKeyId,
  secret: SecretAccessKey,
  session_token: Token,
  expires_ms: Date.parse(Expiration),
})
