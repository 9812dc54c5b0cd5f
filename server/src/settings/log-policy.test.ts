import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parsePolicy } from '@waybill/transparency-log'
import { describe, expect, it } from 'vitest'
import { LOG_POLICY } from '../../test/every-setting.ts'
import { readConfig } from './config.ts'
import { SettingProblem } from './setting.ts'

describe('the policy of witnesses', () => {
  it('may be in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-policy-'))
    try {
      const file = join(folder, 'policy')
      writeFileSync(file, LOG_POLICY)
      const { log_policy } = readConfig({ WAYBILL_LOG_POLICY: pathToFileURL(file).href })
      expect(log_policy).toEqual(parsePolicy(LOG_POLICY))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it.each([
    ['quorum none\nlogs', "Line 2 of the policy: 'logs' is not log, witness, group or quorum"],
    ['file:///no/such/file', 'the file cannot be read'],
    [
      LOG_POLICY.replace(' https://witness.example/w1', ''),
      "the witness 'auditor' has no URL to be asked at",
    ],
    [
      LOG_POLICY.replace('https:', 'ftp:'),
      "the witness 'auditor' has a URL that does not begin with https://",
    ],
    [LOG_POLICY.replace('w1', 'w1?x=1'), "the witness 'auditor' has a URL"],
  ])('is refused: %j', (value, sentence) => {
    const read = () => readConfig({ WAYBILL_LOG_POLICY: value })
    expect(read).toThrow(SettingProblem)
    expect(read).toThrow(`WAYBILL_LOG_POLICY: ${sentence}`)
  })
})
