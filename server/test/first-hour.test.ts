// docs/first-hour.md, run as written: every `sh` block in one shell, with the built program as `waybill`. Only the address
// and the pasted key differ.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/prepare.mjs'
import { collectOutput, makeDataDirectory, makeScratchFolder, startService, waitForEnd } from './service.ts'

it('takes a reader from a key to a log that is verified', async () => {
  const { url, key = '' } = await startService({ data_dir: makeDataDirectory() })
  const page = readFileSync(join(root, 'docs', 'first-hour.md'), 'utf8')
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(match => match[1] ?? '')
  const script = blocks.join('\n')
  expect(script).toContain('paste the key here')
  const { code, stdout, stderr } = await runScript(
    script.replace('paste the key here', key).replace('http://127.0.0.1:8001', url),
  )
  expect(code, stdout + stderr).toBe(0)
  expect(stdout.match(/exit code \d+/g)).toEqual(['exit code 4', 'exit code 4'])
  expect(stdout).toContain('unit-tests')
  expect(stdout).toContain('scan')
  expect(stdout).toMatch(/junit.*unit-tests/)
})

async function runScript(script: string) {
  const folder = makeScratchFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const program = join(bin, 'waybill')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'cli/dist/main.js')}" "$@"\n`)
  chmodSync(program, 0o755)
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(shell)
  const { code } = await waitForEnd(shell)
  return { code, stdout: output.stdout(), stderr: output.stderr() }
}
