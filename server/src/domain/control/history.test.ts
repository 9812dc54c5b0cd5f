import { describe, expect, it } from 'vitest'
import type { Silence } from '../snapshot/silences.ts'
import { type HistorySnapshot, listStateChanges, type OutcomeInterval } from './history.ts'
import type { ControlOutcome } from './state.ts'

const at = (seconds: number) => new Date(seconds * 1000)
/** Snapshot 3 is at 30 seconds, and so on. */
const snapshot = (index: number, more: Partial<HistorySnapshot> = {}): HistorySnapshot => ({
  snapshot_index: index,
  created_at: at(index * 10),
  is_required: true,
  is_partial: false,
  ...more,
})
const interval = (
  outcome: ControlOutcome,
  from_index: number,
  to_index: number,
  artifacts = 1,
): OutcomeInterval => ({
  outcome,
  from_index,
  to_index,
  artifacts,
})
const silence = (from: number, to: number | null): Silence => ({
  from: at(from),
  to: to === null ? null : at(to),
})
const list = (snapshots: HistorySnapshot[], intervals: OutcomeInterval[], silences: Silence[] = []) =>
  listStateChanges(snapshots, intervals, silences).map(change => [
    change.at.getTime() / 1000,
    change.unknown_because ?? change.state,
    change.snapshot_index,
  ])

describe('the changes of the state of a control', () => {
  it.each<[string, HistorySnapshot[], OutcomeInterval[], Silence[], [number, string, number][]]>([
    ['no snapshot', [], [], [silence(5, 6)], []],
    ['one state all the time', [snapshot(1), snapshot(2)], [interval('met', 1, 3)], [], [[10, 'met', 1]]],
    [
      'a failure that is repaired',
      [snapshot(1), snapshot(2), snapshot(3)],
      [interval('met', 1, 2), interval('failing', 2, 3), interval('met', 3, 4)],
      [],
      [
        [10, 'met', 1],
        [20, 'failing', 2],
        [30, 'met', 3],
      ],
    ],
    [
      'one of two artifacts stops failing',
      [snapshot(1), snapshot(2), snapshot(3)],
      [interval('failing', 1, 3, 2), interval('met', 2, 4)],
      [],
      [
        [10, 'failing', 1],
        [30, 'met', 3],
      ],
    ],
    [
      'a policy is attached later',
      [snapshot(1, { is_required: false }), snapshot(2)],
      [interval('met', 2, 3)],
      [],
      [
        [10, 'not-required', 1],
        [20, 'met', 2],
      ],
    ],
    [
      'a partial view',
      [snapshot(1), snapshot(2, { is_partial: true })],
      [interval('met', 1, 3)],
      [],
      [
        [10, 'met', 1],
        [20, 'partial', 2],
      ],
    ],
    [
      'a silence between two snapshots',
      [snapshot(1), snapshot(5)],
      [interval('met', 1, 6)],
      [silence(20, 30)],
      [
        [10, 'met', 1],
        [20, 'stale', 1],
        [30, 'met', 1],
      ],
    ],
    [
      'a silence that lasts',
      [snapshot(1)],
      [interval('met', 1, 2)],
      [silence(20, null)],
      [
        [10, 'met', 1],
        [20, 'stale', 1],
      ],
    ],
    [
      'a silence that ends with a snapshot',
      [snapshot(1), snapshot(3)],
      [interval('met', 1, 3), interval('failing', 3, 4)],
      [silence(20, 30)],
      [
        [10, 'met', 1],
        [20, 'stale', 1],
        [30, 'failing', 3],
      ],
    ],
    [
      'a silence does not hide a failure',
      [snapshot(1)],
      [interval('failing', 1, 2)],
      [silence(20, 30)],
      [[10, 'failing', 1]],
    ],
    [
      'a silence before the first snapshot',
      [snapshot(5)],
      [interval('met', 5, 6)],
      [silence(20, 30)],
      [[50, 'met', 5]],
    ],
  ])('%s', (_, snapshots, intervals, silences, expected) => {
    expect(list(snapshots, intervals, silences)).toEqual(expected)
  })
})
