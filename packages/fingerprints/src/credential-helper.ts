// Asks a Docker credential helper: a program that reads a server name and returns credentials as JSON.
import { spawn } from 'node:child_process'
import { parseObject, toText } from './json.ts'
import { FingerprintProblem } from './problem.ts'
import type { Credentials } from './registry-auth.ts'

const NAME = /^[a-z0-9._-]+$/
const ANSWER_BYTES = 1024 * 1024
const WITHIN_MS = 60_000
/** The user name that marks the secret as an identity token. */
const TOKEN_USER = '<token>'

/** Undefined if the helper has no credentials for the server. */
export async function askCredentialHelper(
  helper: string,
  server: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Credentials | undefined> {
  if (!NAME.test(helper)) {
    const message = `The credential helper ${JSON.stringify(helper)} has a name with other characters than a-z, 0-9, ".", "_" and "-".`
    throw new FingerprintProblem('invalid', message)
  }
  const program = `docker-credential-${helper}`
  const { code, output } = await run(program, server, env)
  if (code !== 0) {
    if (/credentials not found/i.test(output)) return undefined
    const message = `${program} failed for ${server} (exit code ${code}). Run it yourself to see why, or log in again.`
    throw new FingerprintProblem('not_allowed', message)
  }
  const answer = parseObject(output)
  const [username, secret] = [toText(answer?.Username), toText(answer?.Secret)]
  if (username === undefined || secret === undefined) {
    throw new FingerprintProblem(
      'not_allowed',
      `${program} answered without a user name and a secret for ${server}.`,
    )
  }
  return username === TOKEN_USER
    ? { kind: 'identity_token', token: secret, source: program }
    : { kind: 'password', username, password: secret, source: program }
}

function run(
  program: string,
  input: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['get'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    // A child process of the helper may still hold the pipe, so the pipe is closed too.
    const giveUp = () => {
      child.kill('SIGKILL')
      child.stdout.destroy()
    }
    const timer = setTimeout(giveUp, WITHIN_MS)
    let output = ''
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (text: string) => {
      output += text
      if (output.length > ANSWER_BYTES) giveUp()
    })
    child.once('error', cause => {
      clearTimeout(timer)
      const message = `${program} cannot be started. It stores your credentials: install it, or log in again without it.`
      reject(new FingerprintProblem('not_allowed', message, { cause }))
    })
    child.once('close', code => {
      clearTimeout(timer)
      resolve({ code, output })
    })
    // If a helper ends without reading its input, only its exit code counts.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
