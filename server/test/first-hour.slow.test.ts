// docs/first-hour.md, run as written: every `sh` block in one shell, with the built program as `waybill`. Only the address
// and the pasted key differ.
import { expect, it } from 'vitest'
import { readCommands, runCommands } from './page-commands.ts'
import { makeDataDirectory, startService } from './service.ts'

it('takes a reader from a key to a verified log', async () => {
  const { url, key = '' } = await startService({ data_dir: makeDataDirectory() })
  const script = readCommands('docs/first-hour.md').join('\n')
  expect(script).toContain('paste the key here')
  const { code, stdout, stderr } = await runCommands(
    script.replace('paste the key here', key).replace('http://127.0.0.1:8001', url),
  )
  expect(code, stdout + stderr).toBe(0)
  expect(stdout.match(/exit code \d+/g)).toEqual(['exit code 4', 'exit code 4'])
  expect(stdout).toContain('unit-tests')
  expect(stdout).toContain('scan')
  expect(stdout).toMatch(/junit.*unit-tests/)
})
