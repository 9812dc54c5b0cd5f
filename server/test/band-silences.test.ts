// The cells of the snapshot band where the environment's reports stopped.
import { describe, expect, it } from 'vitest'
import { type Silence, splitAtSilences } from '../../web/src/pages/environments/silences.ts'

const CELL = {
  index: 7,
  layers: [{ state: true, share: 1 }],
  deployments: 2,
  label: 'Snapshot 7',
  isSelected: false,
  isDetailed: false,
}
const NOW = 100
/** The width of each cell, negative if it has no reports. */
const split = (to: number, silences: Silence[]) =>
  splitAtSilences(CELL, { from: 10, to }, silences, NOW).map(
    ({ weight = 0, layers }) => (layers[0]?.is_stale ? -1 : 1) * weight,
  )

describe('a snapshot', () => {
  it.each<[string, number, Silence[], number[]]>([
    ['without a silence', 50, [], [40]],
    ['that lasts, without a silence', 0, [], [90]],
    ['with a silence inside', 50, [{ from: 20, to: 30 }], [10, -10, 20]],
    [
      'with two silences',
      50,
      [
        { from: 15, to: 20 },
        { from: 30, to: 40 },
      ],
      [5, -5, 10, -10, 10],
    ],
    ['that began in a silence', 50, [{ from: 5, to: 20 }], [-10, 30]],
    ['that ended in a silence', 50, [{ from: 40, to: 60 }], [30, -10]],
    ['that was silent all the time', 50, [{ from: 5, to: 60 }], [-40]],
    ['with a silence that lasts', 0, [{ from: 70, to: null }], [60, -30]],
    [
      'with silences before and after it',
      50,
      [
        { from: 1, to: 10 },
        { from: 50, to: 60 },
      ],
      [40],
    ],
    ['that lasted no time', 10, [{ from: 5, to: 60 }], [0]],
  ])('%s', (_, to, silences, expected) => {
    expect(split(to, silences)).toEqual(expected)
  })

  it('marks its deployments once, and links to itself everywhere', () => {
    const cells = splitAtSilences(CELL, { from: 10, to: 50 }, [{ from: 20, to: 30 }], NOW)
    expect(cells.map(({ deployments, index }) => [deployments, index])).toEqual([
      [2, 7],
      [0, 7],
      [0, 7],
    ])
    expect(cells[1]?.label).toMatch(/^No reports from .+ to .+/)
  })
})
