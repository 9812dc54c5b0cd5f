// Where the AWS reporters take their credentials from, shown by the key that signs a request.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Asked, type AwsApi, startAwsApi } from './aws-api.ts'
import { type Cli, makeCli } from './run-cli.ts'

let aws: AwsApi
let cli: Cli

beforeAll(async () => {
  aws = await startAwsApi()
})
afterAll(() => aws.stop())
beforeEach(() => {
  aws.asked = []
  aws.answer = answer
  cli = makeCli({ AWS_ENDPOINT_URL: aws.url, AWS_REGION: 'eu-west-1', AWS_EC2_METADATA_DISABLED: 'true' })
  mkdirSync(join(cli.folder, '.aws'))
  return () => cli.remove()
})

const FROM_STS =
  '<Credentials><AccessKeyId>FROMSTS</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t&amp;t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>'
const FROM_PLACE =
  '{"AccessKeyId":"FROMPLACE","SecretAccessKey":"s","Token":"t","Expiration":"2099-01-01T00:00:00Z"}'

function answer({ url, body, headers }: Asked) {
  if (body.includes('Action=AssumeRole')) return { status: 200, answer: FROM_STS }
  if (url === '/latest/api/token') return { status: 200, answer: 'machine-token' }
  if (url.endsWith('/security-credentials/')) return { status: 200, answer: 'role\n' }
  if (url.endsWith('/security-credentials/role'))
    return headers['x-aws-ec2-metadata-token'] === 'machine-token'
      ? { status: 200, answer: FROM_PLACE }
      : { status: 401, answer: '' }
  if (url === '/container')
    return headers.authorization === 'container-token'
      ? { status: 200, answer: FROM_PLACE }
      : { status: 401, answer: '' }
  return undefined
}

const config = (text: string) => writeFileSync(join(cli.folder, '.aws', 'config'), text)

/** The key that signed the request for the list of functions. */
async function findKey(env: Record<string, string> = {}, flags = ''): Promise<string | undefined> {
  const { code, stderr } = await cli.run(`snapshot lambda functions --org acme --dry-run ${flags}`, { env })
  expect(code, stderr).toBe(0)
  const { headers } = aws.asked.find(({ url }) => url.startsWith('/2015-03-31/')) ?? {}
  return /Credential=(\w+)/.exec(headers?.authorization ?? '')?.[1]
}

const IN_VARIABLES = { AWS_ACCESS_KEY_ID: 'FROMVARIABLES', AWS_SECRET_ACCESS_KEY: 's' }
const IN_FILE = '[default]\naws_access_key_id = FROMFILE\naws_secret_access_key = s\n'

describe('credentials', () => {
  it('from flags take precedence over variables, and those over the file', async () => {
    config(IN_FILE)
    expect(await findKey(IN_VARIABLES, '--aws-key-id FROMFLAGS --aws-secret-key s')).toBe('FROMFLAGS')
    aws.asked = []
    expect(await findKey(IN_VARIABLES)).toBe('FROMVARIABLES')
    aws.asked = []
    expect(await findKey()).toBe('FROMFILE')
  })

  it('are sent with the token of the session, and never with the secret', async () => {
    await findKey({ ...IN_VARIABLES, AWS_SECRET_ACCESS_KEY: 'very-secret', AWS_SESSION_TOKEN: 'session' })
    expect(aws.asked[0]?.headers['x-amz-security-token']).toBe('session')
    expect(JSON.stringify(aws.asked)).not.toContain('very-secret')
  })

  it('come from an identity token, as in a pod', async () => {
    const file = join(cli.folder, 'token')
    writeFileSync(file, 'identity\n')
    expect(await findKey({ AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:role' })).toBe('FROMSTS')
    expect(aws.asked[0]?.body).toContain('WebIdentityToken=identity')
    expect(aws.asked[0]?.headers.authorization).toBeUndefined()
    expect(aws.asked[1]?.headers['x-amz-security-token']).toBe('t&t')
  })

  it("of a role are requested with another profile's credentials", async () => {
    config(`${IN_FILE}[profile deploy]\nrole_arn = arn:role\nsource_profile = default\nexternal_id = x\n`)
    expect(await findKey({ AWS_PROFILE: 'deploy' })).toBe('FROMSTS')
    expect(aws.asked[0]?.headers.authorization).toContain('Credential=FROMFILE/')
    expect(aws.asked[0]?.body).toContain('ExternalId=x')
  })

  it('come from the container, and from the machine', async () => {
    const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container` }
    expect(await findKey({ ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token' })).toBe(
      'FROMPLACE',
    )
    aws.asked = []
    const machine = { AWS_EC2_METADATA_DISABLED: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url }
    expect(await findKey(machine)).toBe('FROMPLACE')
  })

  it('come from a program only with consent', async () => {
    config('[default]\ncredential_process = cat "credentials file"\n')
    writeFileSync(join(cli.folder, 'run'), '')
    const { code, stderr } = await cli.run('snapshot lambda functions --org acme --dry-run')
    expect(code).toBe(2)
    expect(stderr).toContain('--allow-exec')
    const file = join(cli.folder, 'credentials file')
    writeFileSync(file, '{"AccessKeyId":"FROMPROGRAM","SecretAccessKey":"s"}')
    config(`[default]\ncredential_process = cat "${file}"\n`)
    expect(await findKey({}, '--allow-exec')).toBe('FROMPROGRAM')
  })
})

describe('no credentials', () => {
  const runOnce = (env: Record<string, string> = {}) =>
    cli.run('snapshot lambda functions --org acme --dry-run', { env })

  it('are exit code 5, even if the working directory contains some', async () => {
    writeFileSync(join(cli.folder, 'credentials'), IN_FILE)
    writeFileSync(join(cli.folder, 'config'), IN_FILE)
    const { code, stderr } = await runOnce()
    expect(code).toBe(5)
    expect(stderr).toContain('no credentials for AWS')
    expect(aws.asked).toEqual([])
    expect(await runOnce({ AWS_SHARED_CREDENTIALS_FILE: 'credentials' })).toMatchObject({ code: 2 })
    expect(await runOnce({ AWS_CONFIG_FILE: 'config' })).toMatchObject({ code: 2 })
  })

  it('are sent to an address without TLS', async () => {
    const { code, stderr } = await runOnce({ ...IN_VARIABLES, AWS_ENDPOINT_URL: 'http://aws.example.com' })
    expect(code).toBe(2)
    expect(stderr).toContain('https://')
    const uri = 'http://metadata.example.com/container'
    expect(await runOnce({ AWS_CONTAINER_CREDENTIALS_FULL_URI: uri })).toMatchObject({ code: 2 })
  })

  it('exist before somebody signs in, or after the sign-in has expired', async () => {
    config(
      '[default]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n[sso-session s]\nsso_region = x\nsso_start_url = u\n',
    )
    expect((await runOnce()).stderr).toContain('aws sso login')
    const folder = join(cli.folder, '.aws', 'sso', 'cache')
    mkdirSync(folder, { recursive: true })
    const name = createHash('sha1').update('s').digest('hex')
    writeFileSync(join(folder, `${name}.json`), '{"accessToken":"a","expiresAt":"2020-01-01T00:00:00Z"}')
    const { code, stderr } = await runOnce()
    expect(code).toBe(5)
    expect(stderr).toContain('has ended')
  })
})
