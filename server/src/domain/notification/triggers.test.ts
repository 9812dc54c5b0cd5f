// Which environment change triggers which event.
import { describe, expect, it } from 'vitest'
import { type EnvironmentEvent, TRIGGERS } from './notice.ts'
import { computeEvents, toTrigger } from './triggers.ts'

const NO_CHANGES = { changes: [] }

describe('the state of an environment', () => {
  it.each<[before: boolean | null, after: boolean | null, events: EnvironmentEvent[]]>([
    [true, true, []],
    [true, false, ['NON_COMPLIANT_ENV']],
    [true, null, []],
    [false, true, ['COMPLIANT_ENV']],
    [false, false, []],
    [false, null, []],
    [null, true, ['COMPLIANT_ENV']],
    [null, false, ['NON_COMPLIANT_ENV']],
    [null, null, []],
  ])('from %s to %s is announced as %j', (before, after, events) => {
    const computed = computeEvents({ before, after, ...NO_CHANGES })
    expect(computed).toEqual(events.map(event_type => ({ event_type, artifacts: [] })))
  })
})

describe('the change of an artifact', () => {
  it.each<[change: string, event: EnvironmentEvent | null]>([
    ['started-compliant', 'STARTED_ARTIFACT'],
    ['started-non-compliant', 'STARTED_ARTIFACT'],
    ['started-unknown', 'STARTED_ARTIFACT'],
    ['exited', 'EXITED_ARTIFACT'],
    ['scaled', 'SCALED_ARTIFACT'],
    ['became-compliant', 'SCALED_ARTIFACT'],
    ['became-non-compliant', 'SCALED_ARTIFACT'],
    ['updated-provenance', 'SCALED_ARTIFACT'],
    ['changed', 'SCALED_ARTIFACT'],
    ['unchanged', null],
    ['running', null],
    ['constructor', null],
    ['', null],
  ])('%s is announced as %s', (change, event_type) => {
    const changes = [{ change, name: 'web' }]
    const computed = computeEvents({ before: null, after: null, changes })
    expect(computed).toEqual(event_type === null ? [] : [{ event_type, artifacts: changes }])
  })

  it('is announced together with changes of the same kind, in order, and before the environment', () => {
    const changes = [
      'exited',
      'started-compliant',
      'unchanged',
      'became-non-compliant',
      'started-unknown',
    ].map((change, id) => ({ change, id }))
    const computed = computeEvents({ before: true, after: false, changes })
    expect(computed.map(({ event_type, artifacts }) => [event_type, artifacts.map(({ id }) => id)])).toEqual([
      ['STARTED_ARTIFACT', [1, 4]],
      ['EXITED_ARTIFACT', [0]],
      ['SCALED_ARTIFACT', [3]],
      ['NON_COMPLIANT_ENV', []],
    ])
  })
})

describe('a trigger', () => {
  it.each(TRIGGERS)('%s has the name of its event', trigger => {
    expect(toTrigger(trigger.slice('ON_'.length) as EnvironmentEvent)).toBe(trigger)
  })
})
