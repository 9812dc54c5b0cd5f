// The calls of the README, run as written: every `sh` block in one shell. Only the address and the pasted key differ, and
// each pause lasts until what it waits for has happened.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/prepare.mjs'
import { PATIENCE_MS } from './patience.ts'
import { collectOutput, waitForEnd } from './service.ts'

export const PASTE = "export API_KEY='paste the key here'"

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

export function readShellBlocks(): string[] {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(match => match[1] ?? '')
}

function run(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(shell)
  return waitForEnd(shell).then(({ code }) => ({ code, stdout: output.stdout(), stderr: output.stderr() }))
}

/** What each call of the README responds with. */
export const README_STATUSES = [
  ...['201', '201', '200', '200', '201', '201', '201', '201', '201', '200', '200', '400'],
  // Policy, environment, attach, report, two reads, attest, read, report, two reads, CSV, assert, try.
  ...['201', '201', '200', '200', '200', '200', '201', '200', '200', '200', '200', '200', '200', '200'],
  // Notify, report, read the log.
  ...['201', '200', '200'],
].map(status => `HTTP ${status}`)

/** The statuses are in stderr. */
export function runReadmeCalls(port: number, key: string) {
  const script = [PAUSES, ...readShellBlocks()]
    .join('\n')
    .replace(PASTE, `export API_KEY='${key}'`)
    .replaceAll(':8001', `:${port}`)
  return run(script)
}
