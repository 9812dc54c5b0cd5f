// The README's first five minutes, run as written: `npm start`, the printed key, then every `sh` block in one shell.
import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { root } from '../../scripts/prepare.mjs'
import { until } from './patience.ts'
import { PASTE, README_STATUSES, readShellBlocks, runReadmeCalls } from './readme-calls.ts'
import { collectOutput, findFreePort, makeDataDirectory, waitForEnd } from './service.ts'

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

  expect(readShellBlocks()[0]?.trim()).toBe(PASTE)
  const { code, stdout, stderr } = await runReadmeCalls(port, key ?? '')
  expect(stderr.match(/HTTP \d+/g)).toEqual(README_STATUSES)
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
