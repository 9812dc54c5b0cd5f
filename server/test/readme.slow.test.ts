// The README's first five minutes, run as written: `npm start`, the printed key, then every `sh` block in one shell.
import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { until } from './patience.ts'
import { expectReadmeOutput, runReadme } from './readme.ts'
import { collectOutput, findFreePort, makeDataDirectory, waitForEnd } from './service.ts'

it('takes a reader from npm start to an explained trail', async () => {
  const port = await findFreePort()
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env
  const env = { PATH, HOME, TMPDIR, PORT: String(port), WAYBILL_DATA_DIR: makeDataDirectory() }
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = waitForEnd(npm)
  const output = collectOutput(npm)
  await until(() => findKey(output.stdout()) !== undefined)
  expect(output.stdout()).toContain(`Waybill is ready: http://127.0.0.1:${port}\n`)
  expectReadmeOutput(await runReadme(port, findKey(output.stdout()) ?? ''))
  npm.kill('SIGTERM')
  expect(await ended).toEqual({ code: 0, signal: null })
})

function findKey(stdout: string): string | undefined {
  return /^ {2}(wb_user_\w+)$/m.exec(stdout)?.[1]
}
