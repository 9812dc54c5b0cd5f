import { describe, expect, it } from 'vitest'
import { CI_JOBS, COMMIT } from '../../test/ci-jobs.ts'
import { detectCi } from './detect.ts'
import { CI_SYSTEMS } from './systems.ts'

const readNothing = () => undefined
const PUSHES = CI_JOBS.filter(({ event }) => event === 'push')

it.each(CI_JOBS)('$system: a job for a $event', ({ system, env, file, facts }) => {
  const job = detectCi(env, () => file)
  expect(job?.system.id).toBe(system)
  const found = Object.entries(job?.facts ?? {}).map(([name, fact]) => [name, fact?.value])
  expect(Object.fromEntries(found)).toMatchObject(facts)
  if (facts.tag !== undefined) expect(job?.facts.branch).toBeUndefined()
  else expect(job?.facts.tag).toBeUndefined()
  for (const identity of [job?.run, job?.step]) expect(identity?.value).toMatch(/./)
})

it('every system has an example of each event', () => {
  const events = CI_SYSTEMS.map(({ id }) => CI_JOBS.filter(({ system }) => system === id).length)
  expect(events).toEqual(CI_SYSTEMS.map(() => 4))
})

it('names the variable each fact comes from', () => {
  const job = detectCi(PUSHES.find(({ system }) => system === 'jenkins')?.env ?? {}, readNothing)
  expect(job?.facts).toMatchObject({
    commit: { from: 'GIT_COMMIT' },
    branch: { value: 'main', from: 'GIT_BRANCH' },
    repository: { from: 'GIT_URL' },
    commit_url: { from: 'GIT_URL, GIT_COMMIT' },
  })
})

describe('mistakes no system for another', () => {
  const pairs = PUSHES.flatMap(one =>
    PUSHES.filter(other => other.system > one.system).map(other => ({ one, other })),
  )

  it.each(pairs)('$one.system and $other.system together', ({ one, other }) => {
    const env = { ...one.env, ...other.env }
    expect(() => detectCi(env, readNothing)).toThrow(/ are both set/)
    expect(detectCi({ ...env, WAYBILL_CI: one.system }, readNothing)?.system.id).toBe(one.system)
    expect(detectCi({ ...env, WAYBILL_CI: 'none' }, readNothing)).toBeUndefined()
  })

  it('finds none outside of CI', () => {
    expect(detectCi({ CI: 'true', HOME: '/home/ada' }, readNothing)).toBeUndefined()
    expect(detectCi({ GITHUB_ACTIONS: 'false', CIRCLECI: '' }, readNothing)).toBeUndefined()
    expect(() => detectCi({ WAYBILL_CI: 'tekton' }, readNothing)).toThrow(
      /WAYBILL_CI: "tekton" is not one of/,
    )
  })
})

describe('ignores hostile values', () => {
  it.each([
    ['a line feed', 'main\nGITHUB_PATH=/tmp'],
    ['a carriage return', 'main\r'],
    ['an escape', 'main\u001b[2J'],
    ['a NUL', 'main\0'],
    ['a line separator', 'main\u2028'],
    ['very many characters', 'x'.repeat(4097)],
    ['nothing', ''],
  ])('%s', (_what, value) => {
    for (const { env } of PUSHES) {
      const hostile = Object.fromEntries(
        Object.entries(env).map(([name, old]) => [
          name,
          CI_SYSTEMS.some(({ recognized_by }) => recognized_by === name) ? old : value,
        ]),
      )
      const job = detectCi(hostile, () => ({ pull_request: { head: { sha: value } } }))
      const values = Object.values(job?.facts ?? {}).map(fact => fact?.value)
      expect(values.filter(each => each?.includes(value) && value !== '')).toEqual([])
    }
  })

  it.each(['HEAD', 'main', COMMIT.slice(0, 12), COMMIT.toUpperCase(), `${COMMIT}0`])(
    'a commit must be a whole hash, unlike %s',
    commit => {
      for (const { env } of PUSHES) {
        const changed = Object.entries(env).map(([name, old]) => [name, old === COMMIT ? commit : old])
        const facts = detectCi(Object.fromEntries(changed), readNothing)?.facts
        expect([facts?.commit, facts?.commit_url]).toEqual([undefined, undefined])
      }
    },
  )

  it('the file of the event counts only for pull requests that run their own code', () => {
    const [push] = PUSHES
    for (const GITHUB_EVENT_NAME of ['push', 'pull_request_target', 'workflow_run']) {
      const job = detectCi({ ...push?.env, GITHUB_EVENT_NAME, GITHUB_HEAD_REF: '' }, () => ({
        pull_request: { head: { sha: 'b'.repeat(40) } },
      }))
      expect(job?.facts.commit?.value).toBe(COMMIT)
    }
  })
})
