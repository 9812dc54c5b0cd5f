// Random changes to valid files: every reader returns a result that can be sent, or throws the package's own
// error.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listFixtures, readFixture } from './fixtures.testing.ts'
import {
  type EvidenceFile,
  EvidenceProblem,
  openEvidence,
  readCobertura,
  readCtrf,
  readGitleaks,
  readGrype,
  readJunit,
  readSarif,
  readSbom,
  readSnyk,
  readSonar,
  readTrivy,
  recognizeEvidence,
  recognizeFile,
} from './index.ts'

const READERS: Record<string, (file: EvidenceFile) => unknown> = {
  readCobertura,
  readCtrf,
  readGitleaks,
  readGrype,
  readJunit: file => readJunit([file]),
  readSarif,
  readSbom,
  readSnyk,
  readSonar: file => {
    const quality_gate = file.name.includes('gate') ? file : readFixture('sonar-quality-gate.json')
    const task = file.name.includes('task.json') ? file : readFixture('sonar-task.json')
    const report_task = file.name.endsWith('.txt') ? file : readFixture('report-task.txt')
    return readSonar({ report_task, quality_gate, task })
  },
  readTrivy,
  recognizeFile,
}

const IS_THOROUGH = process.env.TEST_THOROUGH === '1'
/** Every run draws other changes. */
const RUNS = IS_THOROUGH ? 2_000 : 20
/** The usual run replaces one value in so many, beginning anywhere. */
const STRIDE = IS_THOROUGH ? 1 : 10

/** Values that break a careless reader, as they appear in a file. */
const ODD_TOKENS = [
  'null',
  'true',
  '-1',
  '1e999',
  '1.5',
  '9007199254740993',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"__proto__": null}',
  '{"length": -1}',
  `${'['.repeat(300)}${']'.repeat(300)}`,
  '<a/>',
  '&x;',
  '&#0;',
  '<![CDATA[',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '=',
  ':',
  '<text>',
  '\n',
  '\0',
  '\ufeff',
]

/** A value in JSON, an attribute or a text in XML, or a word in lines. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|[A-Za-z]+/g

const position = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const change = fc.oneof(
  fc.record({ kind: fc.constant('token' as const), at: position, token: fc.constantFrom(...ODD_TOKENS) }),
  fc.record({ kind: fc.constant('move' as const), at: position, from: position }),
  fc.record({ kind: fc.constant('bytes' as const), at: position, bytes: fc.uint8Array({ maxLength: 4 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: position, length: position }),
  fc.record({ kind: fc.constant('end' as const), at: position }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function applyChange(content: Buffer, made: Change): Buffer {
  const at = Math.floor(made.at * content.length)
  if (made.kind === 'bytes') {
    return Buffer.concat([content.subarray(0, at), made.bytes, content.subarray(at + made.bytes.length)])
  }
  if (made.kind === 'cut') {
    const end = at + Math.ceil(made.length * (content.length - at))
    return Buffer.concat([content.subarray(0, at), content.subarray(end)])
  }
  if (made.kind === 'end') return content.subarray(0, at)
  const text = content.toString('latin1')
  const tokens = [...text.matchAll(TOKEN)]
  const chosen = tokens[Math.floor(made.at * tokens.length)]
  if (chosen === undefined) return content
  const other = made.kind === 'move' ? tokens[Math.floor(made.from * tokens.length)]?.[0] : made.token
  const changed = text.slice(0, chosen.index) + other + text.slice(chosen.index + chosen[0].length)
  return Buffer.from(changed, 'latin1')
}

/** The server accepts neither infinite numbers nor texts with NUL or halves of characters. */
function expectSendable(value: unknown): void {
  if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true)
  else if (typeof value === 'string') expect(value).not.toMatch(/[\0\p{Surrogate}]/u)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      expect(key).toMatch(/^[\w-]+$/)
      expectSendable(inner)
    }
  }
}

function expectResultOrProblem(read: () => unknown): void {
  try {
    expectSendable(read())
  } catch (error) {
    if (error instanceof EvidenceProblem) expect(error.message.length).toBeLessThan(2_000)
    else throw error
  }
}

/** A placeholder for a number that JSON can write but a double cannot represent. */
const HUGE = '1e999'
const ODD_VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  HUGE,
  '',
  'x\0\ud800',
  [],
  {},
  [null],
  [[]],
  [{}],
  { length: -1 },
]

/** Copies of a value, each with one value at some depth replaced. */
function* replaceEach(value: unknown, odd: unknown): Generator<unknown> {
  yield odd
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    for (const changed of replaceEach(inner, odd)) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed }
    }
  }
}

describe('a JSON file in which any value is replaced', () => {
  const names = listFixtures().filter(name => /json|sarif/.test(name))
  it.each(names)('%s never breaks a reader', name => {
    const original: unknown = JSON.parse(Buffer.from(readFixture(name).content).toString())
    const readers = chooseReaders(name)
    let turn = Math.floor(Math.random() * STRIDE)
    for (const odd of ODD_VALUES) {
      for (const changed of replaceEach(original, odd)) {
        if (turn++ % STRIDE !== 0) continue
        const text = JSON.stringify(changed)?.replaceAll(`"${HUGE}"`, HUGE) ?? ''
        const file = openEvidence(name, Buffer.from(text))
        for (const read of readers) expectResultOrProblem(() => read(file))
      }
    }
  })
})

/** The readers that accept this fixture unchanged. */
function chooseReaders(name: string): ((file: EvidenceFile) => unknown)[] {
  const file = readFixture(name)
  const chosen = Object.entries(READERS).filter(([, read]) => {
    try {
      read(file)
      return true
    } catch {
      return false
    }
  })
  const of_others = ['readSonar', 'recognizeFile']
  const own = chosen.filter(([reader]) => !of_others.includes(reader) || name.startsWith('sonar'))
  expect(own.length).toBeGreaterThan(0)
  return own.map(([, read]) => read)
}

describe('a file with random changes', () => {
  it.each(listFixtures())('%s never breaks a reader', name => {
    const original = Buffer.from(readFixture(name).content)
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), changes => {
        const file = openEvidence(name, changes.reduce(applyChange, original))
        for (const read of Object.values(READERS)) expectResultOrProblem(() => read(file))
      }),
      { numRuns: RUNS },
    )
  })
})

describe('random bytes', () => {
  it('never break a reader', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json({ maxDepth: 4 }).map(text => Buffer.from(text)),
      fc.string({ unit: 'binary', maxLength: 200 }).map(text => Buffer.from(`<a>${text}</a>`)),
    )
    fc.assert(
      fc.property(bytes, content => {
        expectResultOrProblem(() => recognizeEvidence(content, 'random'))
        for (const read of Object.values(READERS)) {
          expectResultOrProblem(() => read(openEvidence('random', content)))
        }
      }),
      { numRuns: 200 },
    )
  })
})
