import { afterAll, describe, expect, it } from 'vitest'
import { PATIENT_JQ } from '../../test/harness.ts'
import { PATIENCE_MS } from '../../test/patience.ts'
import { systemClock } from '../lib/clock.ts'
import { type JqLimits, makeJqEngine } from './engine.ts'

/** An engine for one organization. */
function makeEngine(limits: Partial<JqLimits>) {
  const { forOrg, close } = makeJqEngine({ ...PATIENT_JQ, ...limits }, systemClock)
  return { ...forOrg({ org_id: 'acme', sponsor: 'acme', seconds_per_hour: null }), close }
}
const engine = makeEngine({})
afterAll(() => engine.close())

const runOne = async (program: string, input: unknown = { a: 1 }) => (await engine.run([program], input))[0]
const expectFailure = (reason: string | RegExp) =>
  expect.objectContaining({ ok: false, reason: expect.stringMatching(reason) })

describe('run', () => {
  it.each([
    ['.a == 1', [true]],
    ['.a, .b', [1, null]],
    ['[.a, "x"] | join("-")', ['1-x']],
    ['limit(1; true, error)', [true]],
    ['[limit(3; repeat(1))]', [[1, 1, 1]]],
    ['try error("x") catch .', ['x']],
    ['"line\\nline"', ['line\nline']],
    ['true | debug', [true]],
    ['trim?', null],
  ])('%s', async (program, values) => {
    expect(await runOne(program)).toEqual(
      values === null ? { ok: false, reason: 'yields nothing' } : { ok: true, values },
    )
  })

  it('returns an outcome for every program in order, whatever the others do', async () => {
    const outcomes = await engine.run(['.a', 'error("no")', '-n', '.[', 'empty', 'true'], { a: 1 })
    expect(outcomes).toEqual([
      { ok: true, values: [1] },
      { ok: false, reason: 'fails: no' },
      { ok: false, reason: "begins with '-'; put it in parentheses" },
      expectFailure(/^does not compile: syntax error, .* at line 1, column 2$/),
      { ok: false, reason: 'yields nothing' },
      { ok: true, values: [true] },
    ])
    expect(await engine.run([], { a: 1 })).toEqual([])
  })

  it('accepts any JSON as input', async () => {
    for (const input of [null, true, 0, 'text', [1, [2]], { 'a b': { c: [] } }, 'ünï ☃ 𝄞']) {
      expect(await runOne('.', input)).toEqual({ ok: true, values: [input] })
    }
  })

  it('counts an error after a first value as a failure', async () => {
    expect(await runOne('true, error("late")')).toEqual({ ok: false, reason: 'fails: late' })
    expect(await runOne('true, ("late" | halt_error)')).toEqual(expectFailure(/^fails: late/))
  })

  it('runs each program independently', async () => {
    expect(await engine.run(['.a |= 5 | .a', '.a', 'halt', '.a'], { a: 1 })).toEqual([
      { ok: true, values: [5] },
      { ok: true, values: [1] },
      { ok: false, reason: 'yields nothing' },
      { ok: true, values: [1] },
    ])
  })

  it('rejects input above 1 MiB', async () => {
    expect(await runOne('true', 'x'.repeat(1024 * 1024))).toEqual(expectFailure('1 MiB'))
    expect(await runOne('length', 'x'.repeat(1024 * 1024 - 2))).toEqual({ ok: true, values: [1048574] })
  })
})

describe('a program that tries to escape', () => {
  it.each(['env', '$ENV', '[env, $ENV] | add'])('sees no environment: %s', async program => {
    expect(await runOne(program)).toEqual({ ok: true, values: [{}] })
  })

  it.each(['$ENV.PATH', 'env.HOME', '$ENV["WAYBILL_SECRET_KEY"]'])('sees no variable: %s', async program => {
    expect(await runOne(program)).toEqual({ ok: true, values: [null] })
  })

  it('can read no file but its input', async () => {
    expect(await runOne('input_filename')).toEqual({ ok: true, values: ['/dev/stdin'] })
    expect(await runOne('[inputs]')).toEqual({ ok: true, values: [[]] })
    expect(await runOne('input')).toEqual(expectFailure(/^fails/))
  })

  it.each([
    'import "a" as a; true',
    'include "a"; true',
    'import "/etc/passwd" as $d; true',
    'import "passwd" as $d {"search": "/etc"}; true',
    'include "jq" {"search": "~/"}; true',
  ])('has no modules: %s', async program => {
    expect(await runOne(program)).toEqual(expectFailure(/^does not compile: module not found/))
    expect(await engine.findCompileProblem(program)).toMatch(/^module not found/)
  })

  it.each(['-n', '--version', '--arg', '-L/', '-f/etc/passwd', '-1', '--'])(
    'is not read as an option: %s',
    async program => {
      expect(await runOne(program)).toEqual(expectFailure(/^begins with '-'/))
      expect(await engine.findCompileProblem(program)).toMatch(/^begins with '-'/)
    },
  )

  it('is not truncated at a NUL', async () => {
    expect(await runOne('true\0 | false')).toEqual(expectFailure('NUL'))
  })

  it('is not longer than 16 KiB', async () => {
    expect(await runOne(`true #${'x'.repeat(16 * 1024)}`)).toEqual(expectFailure('16 KiB'))
    expect(await runOne(`true #${'x'.repeat(16_000)}`)).toEqual({ ok: true, values: [true] })
  })
})

describe('a program that exceeds a limit', () => {
  it.each([
    ['def f: f; f', /^takes longer than 1 s$/],
    ['last(range(1e12))', /^takes longer than 1 s$/],
    // jq's regex engine gives up after about a second, but not if it is called repeatedly.
    ['("a" * 40 + "b") | [range(50) as $i | try test("^(a+)+$") catch null]', /^takes longer than 1 s$/],
    ['range(1e9)', /^(takes longer than 1 s|yields more than 64 KiB)$/],
    ['[range(1e9)]', /^(needs more than 128 MiB of memory|takes longer than 1 s)$/],
    ['"x" * 1e9', /^needs more memory than allowed$/],
    ['"x" * 2e8 | length', /^needs more than 128 MiB of memory$/],
    ['def f: [f]; f', /^(needs more than 128 MiB of memory|takes longer than 1 s)$/],
    ['"x" * 70000', /^yields more than 64 KiB$/],
    ['reduce range(9000) as $i (1; [.])', /^nests too deeply$|^needs more memory|^fails/],
  ])('is stopped, and the next run works: %s', async (program, reason) => {
    const [bad, after] = await engine.run([program, 'true'], {})
    expect(bad).toEqual(expectFailure(reason))
    expect(after).toMatchObject({ ok: false, reason: 'was not run because an earlier one was stopped' })
    expect(await runOne('true')).toEqual({ ok: true, values: [true] })
  })

  it('blocks neither other evaluations nor the event loop', async () => {
    // Only closing the engine stops the program here.
    const unstopped = makeEngine({ step_ms: PATIENCE_MS, work_ms: PATIENCE_MS })
    const expectTrue = async () =>
      expect(await unstopped.run(['true'], {})).toEqual([{ ok: true, values: [true] }])
    await Promise.all([expectTrue(), expectTrue()])
    let is_over = false
    const runaway = unstopped.run(['def f: f; f'], {}).finally(() => {
      is_over = true
    })
    for (let others = 0; others < 5; others++) await expectTrue()
    for (let turns = 0; turns < 1_000; turns++) await new Promise(resolve => setImmediate(resolve))
    expect(is_over).toBe(false)
    const closed = expect(runaway).rejects.toThrow('Terminating')
    await unstopped.close()
    await closed
  })

  it('is also stopped by the limit for all programs together', async () => {
    const limited = makeEngine({ step_ms: PATIENCE_MS, work_ms: 200 })
    const endless = await limited.run(['def f: f; f', 'true'], {})
    await limited.close()
    expect(endless[0]).toEqual({ ok: false, reason: 'is not reached within 0.2 s', stopped: true })
    expect(endless[1]).toMatchObject({
      ok: false,
      reason: 'was not run because an earlier one was stopped',
    })
  })

  it('is not blamed if the machine gave it too little processor time', async () => {
    const starving = makeEngine({ step_ms: PATIENCE_MS, work_ms: PATIENCE_MS, hang_ms: 200 })
    await expect(starving.run(['def f: f; f', 'true'], {})).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    })
    await starving.close()
  })

  it('does not keep waiting programs from running', async () => {
    const runaways = [runOne('def f: f; f'), runOne('def f: f; f'), runOne('def f: f; f')]
    const waiting = Array.from({ length: 10 }, () => runOne('true'))
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ ok: true, values: [true] })))
    for (const one of await Promise.all(runaways)) expect(one).toEqual(expectFailure('longer than 1 s'))
  })

  it('gets 429 if too many programs are waiting', async () => {
    const crowded = makeEngine({})
    const crowd = await Promise.allSettled(Array.from({ length: 80 }, () => crowded.run(['true'], {})))
    const refused = crowd.filter(one => one.status === 'rejected')
    expect(refused).toHaveLength(80 - 66)
    for (const one of refused) expect(one.reason).toMatchObject({ status: 429 })
    await crowded.close()
  })
})

describe('findCompileProblem', () => {
  it.each(['true', '.a | test("x")', 'def f: f; f', '# only a comment\ntrue'])(
    'accepts %s',
    async program => {
      expect(await engine.findCompileProblem(program)).toBeUndefined()
    },
  )

  it.each([
    ['.[', 'syntax error, unexpected end of file at line 1, column 2'],
    ['nothing', 'nothing/0 is not defined at line 1, column 1'],
    ['$x', '$x is not defined at line 1, column 1'],
    ['', 'Top-level program not given (try ".")'],
  ])('says what is wrong with %j', async (program, problem) => {
    expect(await engine.findCompileProblem(program)).toBe(problem)
  })

  it('does not run the program', async () => {
    expect(await engine.findCompileProblem('error("ran")')).toBeUndefined()
    expect(await engine.listCompileProblems(['halt_error', '.[', 'last(range(1e12))'])).toEqual([
      undefined,
      expect.stringMatching(/^syntax error/),
      undefined,
    ])
  })
})

describe('idle', () => {
  it('starts no thread until there is work', async () => {
    const idle = makeEngine({})
    const handles = () => process.getActiveResourcesInfo().filter(name => name.includes('Worker')).length
    const before = handles()
    expect(await idle.run([], null)).toEqual([])
    expect(handles()).toBe(before)
    await idle.close()
  })
})
