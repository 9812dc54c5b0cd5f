// Which facts are kept, and for how long.
import { expect, it } from 'vitest'
import { type FactsOfSnapshot, makeKeptFacts, type SnapshotKey } from './kept-facts.ts'

const buildKey = (key: Partial<SnapshotKey> = {}): SnapshotKey => ({
  org_id: 'acme',
  environment_id: 'prod',
  snapshot_index: 1,
  log_position: '1 10',
  ...key,
})
const buildFacts = (artifacts: number): FactsOfSnapshot => ({
  artifacts: Array.from({ length: artifacts }, (_, i) => ({
    artifact_key: `${i}`,
    fingerprint: `${i}`,
    name: 'a',
    alternates: [],
  })),
  known: new Map(),
})

it('finds facts as long as the log has not grown', () => {
  const kept = makeKeptFacts()
  const facts = buildFacts(1)
  kept.keep(buildKey(), facts)
  expect(kept.find(buildKey())).toBe(facts)
  expect(kept.find(buildKey({ log_position: '1 11' }))).toBeUndefined()
  // The facts are gone: an older position does not bring them back.
  expect(kept.find(buildKey())).toBeUndefined()
})

it.each([{ org_id: 'globex' }, { environment_id: 'staging' }, { snapshot_index: 2 }])(
  'does not find the facts of another snapshot: %o',
  other => {
    const kept = makeKeptFacts()
    kept.keep(buildKey(), buildFacts(1))
    expect(kept.find(buildKey(other))).toBeUndefined()
  },
)

it('keeps a limited number of artifacts, those that were used last', () => {
  const kept = makeKeptFacts(10)
  kept.keep(buildKey({ snapshot_index: 1 }), buildFacts(4))
  kept.keep(buildKey({ snapshot_index: 2 }), buildFacts(4))
  kept.find(buildKey({ snapshot_index: 1 }))
  kept.keep(buildKey({ snapshot_index: 3 }), buildFacts(4))
  const listKept = () => [1, 2, 3, 4].filter(snapshot_index => kept.find(buildKey({ snapshot_index })))
  expect(listKept()).toEqual([1, 3])
  kept.keep(buildKey({ snapshot_index: 4 }), buildFacts(11))
  expect(listKept()).toEqual([1, 3])
  // Keeping an entry again does not count it twice.
  kept.keep(buildKey({ snapshot_index: 1, log_position: '1 10' }), buildFacts(6))
  expect(listKept()).toEqual([1, 3])
})
