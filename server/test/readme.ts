// The README's first five minutes as a script: every `sh` block in one shell, and what it must print. Only the port and the
// pasted key differ, and each pause lasts until what it waits for has happened.
import { spawn } from 'node:child_process'
import { expect } from 'vitest'
import { root } from '../../scripts/prepare.mjs'
import { readCommands } from './page-commands.ts'
import { PATIENCE_MS } from './patience.ts'
import { collectOutput, type Finished, waitForEnd } from './service.ts'

const PASTE = "export API_KEY='paste the key here'"

/** Waits for the environment to become compliant or for the delivery, instead of a number of seconds. */
const PAUSES = `
ask() { curl -sS -H "Authorization: Bearer $API_KEY" "$API/$1"; }
sleep() {
  for _ in $(seq ${PATIENCE_MS / 100}); do
    case "$1" in
      1) ask environments/demo-org/prod | grep '"state":true' > /dev/null && return ;;
      2) ask notification-deliveries/demo-org | grep '"status":"delivered"' > /dev/null && return ;;
    esac
    command sleep 0.1
  done
}
`

export async function runReadme(port: number, key: string): Promise<Finished> {
  const blocks = readCommands('README.md')
  expect(blocks[0]?.trim()).toBe(PASTE)
  const script = [PAUSES, ...blocks]
    .join('\n')
    .replace(PASTE, `export API_KEY='${key}'`)
    .replaceAll(':8001', `:${port}`)
  return run(script)
}

export function expectReadmeOutput({ code, stdout, stderr }: Finished): void {
  expect(stderr.match(/HTTP \d+/g)).toEqual(
    [
      ...['201', '201', '200', '200', '201', '201', '201', '201', '201', '200', '200', '400'],
      // Policy, environment, attach, report, two reads, attest, read, report, two reads, CSV, assert, try.
      ...['201', '201', '200', '200', '200', '200', '201', '200', '200', '200', '200', '200', '200', '200'],
      // Notify, report, read the log.
      ...['201', '200', '200'],
    ].map(status => `HTTP ${status}`),
  )
  expect(code).toBe(0)
  expect(stdout).toContain('INCOMPLETE')
  expect(stdout).toContain("an attestation of type 'pull_request'")
  expect(stdout).toContain('"COMPLIANT"')
  expect(stdout).toMatch(/evidence\/.*junit\.xml: OK/)
  expect(stdout).toContain("'pull_request'?")

  expect(stdout).toContain("Report a compliant 'pen-test' attestation")
  // Non-compliant, then compliant after the evidence.
  expect(stdout).toMatch(/"OK"false\n[\s\S]*"OK"true\n/)
  expect(stdout).toContain('left-behind.sh')
  expect(stdout).toMatch(/started-compliant|became-compliant/)
  expect(stdout).toContain('"artifacts_that_would_turn_red": 1')
  expect(stdout).toContain('"event_type": "COMPLIANT_ENV"')
  expect(stdout).toContain('"status": "delivered"')
}

async function run(script: string): Promise<Finished> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(shell)
  const { code } = await waitForEnd(shell)
  return { code, stdout: output.stdout(), stderr: output.stderr() }
}
