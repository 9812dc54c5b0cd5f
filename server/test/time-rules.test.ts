// The rules about time detect violations, and the limit against hanging is long and in force.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { PATIENCE_MS, TEST_PATIENCE_MS } from './patience.ts'
import { findTimeProblems, MAY_PAUSE, MAY_READ_THE_CLOCK } from './time-rules.ts'

const findProblems = (text: string, path = 'server/test/x.test.ts') =>
  findTimeProblems([{ path, parse: () => ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) }])

describe('the rules', () => {
  it.each([
    'expect(performance.now() - start).toBeLessThan(5_000)',
    'const began = Date.now()',
    'process.hrtime.bigint()',
    "it('x', { timeout: 60_000 }, async () => undefined)",
    "describe.concurrent('x', { timeout: 60_000 }, () => undefined)",
    "it.each([1])('x', async () => undefined, 60_000)",
    'beforeAll(async () => undefined, 120_000)',
    'await until(() => true, 5_000)',
    'await expect.poll(() => 1, { timeout: 6000 }).toBe(1)',
    'const READY_WITHIN_MS = 40_000',
    'context.setDefaultTimeout(20_000)',
    'await sleep(1_500)',
    'await new Promise(resolve => setTimeout(resolve, 200))',
  ])('report %s', text => expect(findProblems(text)).toHaveLength(1))

  it.each([
    'app.clock.advance(60_000)',
    'beforeAll(async () => undefined, 600_000)',
    "it('takes 60_000', async () => undefined)",
    'await sleep(Math.random() * MAX_DELAY_MS)',
    'const limits = { ...PATIENT_EGRESS, total_ms: 300 }',
  ])('accept %s', text => expect(findProblems(text)).toEqual([]))

  it('have no unused exception', () => {
    const allowed = [...Object.keys(MAY_READ_THE_CLOCK), ...Object.keys(MAY_PAUSE)]
    // Checked under another name, the file must have problems.
    const idle = allowed.filter(path => findProblems(readFileSync(join(root, path), 'utf8')).length === 0)
    expect(idle).toEqual([])
  })
})

describe('the limit against hanging', () => {
  it('is five minutes or more', () =>
    expect(Math.min(PATIENCE_MS, TEST_PATIENCE_MS)).toBeGreaterThanOrEqual(5 * 60_000))

  it('applies to every test and hook', () => {
    const config = readFileSync(join(root, 'vitest.config.ts'), 'utf8')
    expect(findProblems(config)).toEqual([])
    for (const limit of ['testTimeout', 'hookTimeout']) expect(config).toContain(`${limit}: TEST_PATIENCE_MS`)
  })
})
