// That the rules about time notice what they are for, and that the one limit against hanging is long and in force.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/prepare.mjs'
import { PATIENCE_MS, TEST_PATIENCE_MS } from './patience.ts'
import { MAY_PAUSE, MAY_READ_THE_CLOCK, timeProblems } from './time-rules.ts'

const problemsIn = (text: string, path = 'server/test/x.test.ts') =>
  timeProblems([{ path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) }])

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
  ])('notice %s', text => expect(problemsIn(text)).toHaveLength(1))

  it.each([
    'app.clock.advance(60_000)',
    'beforeAll(async () => undefined, 600_000)',
    "it('takes 60_000', async () => undefined)",
    'await sleep(Math.random() * LONGEST_MOMENT_MS)',
    'const limits = { ...PATIENT_EGRESS, total_ms: 300 }',
  ])('let %s pass', text => expect(problemsIn(text)).toEqual([]))

  it('know no exception that nobody needs', () => {
    const allowed = [...Object.keys(MAY_READ_THE_CLOCK), ...Object.keys(MAY_PAUSE)]
    // Under another name, the file would be noticed.
    const idle = allowed.filter(path => problemsIn(readFileSync(join(root, path), 'utf8')).length === 0)
    expect(idle).toEqual([])
  })
})

describe('the limit against hanging', () => {
  it('is five minutes or more', () =>
    expect(Math.min(PATIENCE_MS, TEST_PATIENCE_MS)).toBeGreaterThanOrEqual(5 * 60_000))

  it('is the one of every test and hook', () => {
    const config = readFileSync(join(root, 'vitest.config.ts'), 'utf8')
    expect(problemsIn(config)).toEqual([])
    for (const limit of ['testTimeout', 'hookTimeout']) expect(config).toContain(`${limit}: TEST_PATIENCE_MS`)
  })
})
