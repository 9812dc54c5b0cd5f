import { describe, expect, it } from 'vitest'
import {
  type AnnotationType,
  computeAnnotation,
  describeEvent,
  type EventType,
  toEventKind,
} from './annotation.ts'
import type { Verdict } from './compliance.ts'

type Side = [number, Verdict] | null
const toRunState = (side: Side) => side && { instance_count: side[0], compliant: side[1] }

// before, after, inputs changed: type with scaling, and without where that differs
const table: [Side, Side, boolean, AnnotationType, AnnotationType?][] = [
  [null, [2, true], false, 'started-compliant'],
  [null, [2, false], false, 'started-non-compliant'],
  [null, [2, null], true, 'started-unknown'],
  [[2, true], null, false, 'exited'],
  [[2, false], null, true, 'exited'],
  [[1, true], [1, true], false, 'unchanged'],
  [[1, null], [1, null], false, 'unchanged'],
  [[1, true], [1, true], true, 'changed'],
  [[1, true], [3, true], false, 'scaled', 'unchanged'],
  [[3, false], [1, false], true, 'scaled', 'changed'],
  [[1, false], [1, true], true, 'became-compliant'],
  [[1, null], [1, true], false, 'became-compliant'],
  [[1, true], [1, false], true, 'became-non-compliant'],
  [[1, null], [2, false], false, 'became-non-compliant'],
  [[1, true], [1, null], false, 'changed'],
  [[1, false], [2, null], false, 'changed'],
  [null, null, true, 'unchanged'],
]

describe.each(table)('from %j to %j, inputs changed %s', (before, after, inputs_changed, type, unscaled) => {
  it.each([true, false])('with include_scaling %s', include_scaling => {
    const annotation = computeAnnotation(toRunState(before), toRunState(after), {
      include_scaling,
      inputs_changed,
    })
    expect(annotation).toStrictEqual({
      type: include_scaling ? type : (unscaled ?? type),
      was: before?.[0] ?? 0,
      now: after?.[0] ?? 0,
    })
  })
})

const events: [EventType, number, number, string, string][] = [
  ['started-compliant', 0, 1, '1 instance started running (from 0 to 1)', 'started'],
  ['started-non-compliant', 0, 3, '3 instances started running (from 0 to 3)', 'started'],
  ['started-unknown', 0, 2, '2 instances started running (from 0 to 2)', 'started'],
  ['exited', 2, 0, '2 instances stopped running (from 2 to 0)', 'exited'],
  ['exited', 1, 0, '1 instance stopped running (from 1 to 0)', 'exited'],
  ['scaled', 1, 3, '2 instances scaled (from 1 to 3)', 'changed'],
  ['scaled', 3, 2, '1 instance scaled (from 3 to 2)', 'changed'],
  ['became-compliant', 1, 1, '1 instance became compliant', 'changed'],
  ['became-non-compliant', 1, 3, '3 instances became non-compliant', 'changed'],
  ['changed', 1, 1, '1 instance changed', 'changed'],
  ['changed', 3, 3, '3 instances changed', 'changed'],
]

describe.each(events)('%s from %i to %i', (type, was, now, description, kind) => {
  it('is described', () => expect(describeEvent(type, was, now)).toBe(description))
  it('has its kind', () => expect(toEventKind(type)).toBe(kind))
})
