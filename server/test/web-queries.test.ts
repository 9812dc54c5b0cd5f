// Which queries of the web app are refetched after which change: every event kind has a row, every query is known,
// and a change refetches what it names and nothing else.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { AFFECTED, isAffected } from '../../web/src/live/affected.ts'
import { isNewer } from '../../web/src/live/position.ts'
import { parseBlock } from '../../web/src/live/read-events.ts'
import { KNOWN_ROOTS } from '../../web/src/live/subjects.ts'
import { EVENT_KINDS } from '../src/events/kinds.ts'

const folder = join(root, 'web', 'src')
const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/.test(path))
  .map(path => readFileSync(join(folder, path), 'utf8'))
  .join('\n')
const used_roots = [...new Set([...source.matchAll(/queryKey: \['([^']+)'/g)].map(([, first = '']) => first))]

/** The user's own changes, drafts that the server only checks, and data that never changes. */
const OF_NO_EVENT = ['built-in attestation types', 'default-org', 'policy check', 'policy tried']

describe('the table of queries', () => {
  it('has a row for every kind of event, and for the changes that no log records', () => {
    expect(Object.keys(AFFECTED).toSorted()).toEqual(
      [...EVENT_KINDS, 'environment_reported', 'delivery_finished'].toSorted(),
    )
  })

  it('knows every query of the app, and no other', () => {
    expect(used_roots.length).toBeGreaterThan(40)
    expect(KNOWN_ROOTS.toSorted()).toEqual(used_roots.toSorted())
  })

  it('has a kind of event for every query that events can change', () => {
    const affected = new Set<string>([...Object.values(AFFECTED).flat(), ...listAlways()])
    expect(used_roots.filter(first => !affected.has(first)).toSorted()).toEqual(OF_NO_EVENT)
  })

  it('names only existing queries', () => {
    const named = new Set(Object.values(AFFECTED).flat())
    expect([...named].filter(first => !used_roots.includes(first))).toEqual([])
  })
})

/** The queries that every event affects, whatever its row contains. */
const listAlways = () =>
  used_roots.filter(first => isAffected([first, 'acme'], { kind: 'org_exported', org: 'acme' }))

const SNAPSHOT = { kind: 'snapshot_taken', org: 'acme', environment: 'prod' }
const BUILT = { kind: 'artifact_creation_reported', org: 'acme', flow: 'ci', trail: 'one', artifact: 'ab' }

describe('a change', () => {
  it.each([
    [['environment', 'acme', 'prod'], SNAPSHOT],
    [['environment page', 'acme', {}, 50], SNAPSHOT],
    [['deployments', { org: 'acme', repo_name: 'x' }], SNAPSHOT],
    [['deployments', 'acme', 'prod', 1, 2], SNAPSHOT],
    [['audit-events', 'acme', {}], SNAPSHOT],
    [['trail', 'acme', 'ci', 'one'], BUILT],
    [['trails', 'acme', { flow: 'ci' }, 1], BUILT],
    [['artifact', { org: 'acme', flow_name: 'ci', fingerprint: 'ab' }, undefined], BUILT],
    [['environment', 'acme', 'old-name'], { ...SNAPSHOT, kind: 'environment_renamed' }],
    [['anything', 'acme'], { ...SNAPSHOT, kind: 'a_kind_of_a_newer_server' }],
    [['session'], { kind: 'member_role_changed', org: 'acme' }],
  ])('refetches %o', (key, change) => {
    expect(isAffected(key, change)).toBe(true)
  })

  it.each([
    ['another environment', ['environment', 'acme', 'staging'], SNAPSHOT],
    ['another organization', ['environment', 'other', 'prod'], SNAPSHOT],
    ['another organization with every event', ['audit-events', 'other', {}], SNAPSHOT],
    ['another trail', ['trail', 'acme', 'ci', 'two'], BUILT],
    ['another flow', ['flow', 'acme', 'cd'], BUILT],
    ['another artifact', ['artifact', { org: 'acme', flow_name: 'ci', fingerprint: 'cd' }, undefined], BUILT],
    ['what it says nothing about', ['members', 'acme', {}, 1], SNAPSHOT],
    ['what belongs to the user', ['session'], SNAPSHOT],
  ])('does not refetch %s', (_, key, change) => {
    expect(isAffected(key, change)).toBe(false)
  })
})

describe('an event', () => {
  it('is read with and without an id', () => {
    expect(parseBlock('id: 1.2\nevent: changed\ndata: {"a":1}')).toEqual({
      id: '1.2',
      event: 'changed',
      data: '{"a":1}',
    })
    expect(parseBlock('event: time\ndata:{}')).toEqual({ id: undefined, event: 'time', data: '{}' })
    expect(parseBlock(': comment')).toBeUndefined()
    expect(parseBlock('retry: 1000')).toBeUndefined()
  })

  it.each([
    ['1.3', '1.2', true],
    ['1.10', '1.9', true],
    ['2.0', '1.9', true],
    ['1.2', '1.2', false],
    ['1.1', '1.2', false],
    ['1.9', '2.0', false],
    ['1.0', undefined, true],
  ])('%s after %s is new: %s', (id, known, expected) => {
    expect(isNewer(id, known)).toBe(expected)
  })
})
