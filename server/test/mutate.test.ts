// The list of faults that `npm run mutate` plants: each fault still applies to the current code and names existing
// tests. The full run takes too long for every test run; this keeps the list correct while the code changes.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type Fault, getVerdict, pick, plant, readFaults } from '../../scripts/mutate/faults.mjs'
import { root } from '../../scripts/run/prepare.mjs'

const faults = readFaults()
const named = faults.map(fault => [fault.id, fault] as const)
const read = (file: string) => readFileSync(join(root, file), 'utf8')

it('is the list that the script reads', async () => {
  const script = join(root, 'scripts', 'mutate.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--list'], {
    maxBuffer: 16 * 1024 * 1024,
  })
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${faults.length} faults`)
})

describe.each(named)('%s', (_id, fault) => {
  it('applies in exactly one place, and changes something', () => {
    const text = read(fault.file)
    const planted = plant(fault, text)
    expect(planted).not.toBe(text)
    expect(planted).toContain(fault.replace)
  })

  it('names tests that exist and can detect it', () => {
    expect(fault.tests).not.toEqual([])
    for (const file of fault.tests) {
      expect(existsSync(join(root, file)), file).toBe(true)
      expect(file).toMatch(/\.test\.ts$/)
      // These tests fail on outdated documents or text, not on behaviour.
      expect(file).not.toMatch(/freshness|openapi-document|mutate|tidy/)
    }
  })

  it('says in a sentence why it matters', () => {
    expect(fault.why).toMatch(/^[A-Z-].{20,140}\.$/)
  })
})

describe('the list', () => {
  it('has unique ids', () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
  })

  it('covers every area', () => {
    const areas = new Set(faults.map(({ id }) => id.split('/')[0]))
    expect([...areas].sort()).toEqual([
      'apply',
      'audit-sinks',
      'badges',
      'cells',
      'ci',
      'credentials',
      'delivery',
      'durability',
      'egress',
      'events',
      'evidence-files',
      'expiry',
      'fairness',
      'fingerprints',
      'hashes',
      'idempotency',
      'leases',
      'limits',
      'live',
      'log',
      'mcp',
      'people',
      'policies',
      'quotas',
      'quoting',
      'readiness',
      'reporters',
      'roles',
      'several-files',
      'signatures',
      'statements',
      'tenancy',
      'time',
      'trends',
      'upgrades',
      'verify',
    ])
    expect(faults.length).toBeGreaterThanOrEqual(45)
  })

  it('names the roles test for every fault that loosens access', () => {
    const loosened = faults.filter(({ find }) => find.startsWith('access:'))
    expect(loosened.length).toBeGreaterThan(10)
    for (const { id, tests } of loosened) expect(tests, id).toEqual(['server/test/roles.test.ts'])
  })
})

const fault: Fault = { id: 'a/b', why: 'x', file: 'f.ts', find: 'a < b', replace: 'a <= b', tests: [] }

describe('planting', () => {
  it('replaces the one place, and inserts `$&` literally', () => {
    expect(plant(fault, 'if (a < b) c()')).toBe('if (a <= b) c()')
    expect(plant({ ...fault, replace: '$& $1' }, 'a < b')).toBe('$& $1')
  })

  it.each([
    ['if (a > b)', 'no longer'],
    ['a < b, a < b', '2 times'],
  ])('refuses %j', (text, reason) => {
    expect(() => plant(fault, text)).toThrow(`a/b no longer applies: its text occurs ${reason} in f.ts`)
  })
})

describe('picking', () => {
  it('picks every fault whose id contains one of the parts, or all faults by default', () => {
    const some = ['roles/a', 'roles/b', 'time/a'].map(id => ({ ...fault, id }))
    expect(pick(some, ['roles/', 'time']).map(({ id }) => id)).toEqual(['roles/a', 'roles/b', 'time/a'])
    expect(pick(some, ['/b']).map(({ id }) => id)).toEqual(['roles/b'])
    expect(pick(some, [])).toHaveLength(3)
  })
})

describe('a run of the tests', () => {
  const file = (status: string, assertionResults: { status: string; fullName: string }[]) => ({
    name: '/tree/a.test.ts',
    status,
    message: 'Cannot find module\nat line 1',
    assertionResults,
  })
  const [good, bad] = [
    { status: 'passed', fullName: 'adds' },
    { status: 'failed', fullName: 'subtracts' },
  ]

  it('catches a fault by a test that fails', () => {
    const report = { success: false, testResults: [file('passed', [good]), file('failed', [good, bad])] }
    expect(getVerdict(report)).toEqual({ kind: 'caught', file: '/tree/a.test.ts', title: 'subtracts' })
  })

  it('does not catch it when nothing fails', () => {
    expect(getVerdict({ success: true, testResults: [file('passed', [good])] })).toEqual({ kind: 'survived' })
  })

  it.each([
    ['a file that cannot be loaded', { success: false, testResults: [file('failed', [])] }],
    ['a setup that breaks', { success: false, testResults: [file('failed', [good])] }],
    ['a run that fails without a test', { success: false, testResults: [] }],
    ['no report', undefined],
  ])('proves nothing with %s', (_what, report) => {
    expect(getVerdict(report)).toMatchObject({ kind: 'broken' })
  })
})
