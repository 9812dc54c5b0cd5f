// The README's first five minutes, run as written: `npm start`, the printed key, then every `sh` block in one shell.
// Only the port and the pasted key differ, and each pause lasts until what it waits for has happened.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/prepare.mjs'
import { PATIENCE_MS, until } from './patience.ts'
import { collectOutput, findFreePort, makeDataDirectory, waitForEnd } from './service.ts'

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

function readShellBlocks(): string[] {
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

it('takes a reader from npm start to an explained trail', async () => {
  const port = await findFreePort()
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, PORT: String(port), WAYBILL_DATA_DIR: makeDataDirectory() }
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = waitForEnd(npm)
  const output = collectOutput(npm)
  await until(() => findKey(output.stdout()) !== undefined)
  const key = findKey(output.stdout())
  expect(output.stdout()).toContain(`Waybill is ready: http://127.0.0.1:${port}\n`)

  const blocks = readShellBlocks()
  expect(blocks[0]?.trim()).toBe(PASTE)
  const script = [PAUSES, ...blocks]
    .join('\n')
    .replace(PASTE, `export API_KEY='${key}'`)
    .replaceAll(':8001', `:${port}`)
  const { code, stdout, stderr } = await run(script)
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

  npm.kill('SIGTERM')
  expect(await ended).toEqual({ code: 0, signal: null })
})

function findKey(stdout: string): string | undefined {
  return /^ {2}(wb_user_\w+)$/m.exec(stdout)?.[1]
}
