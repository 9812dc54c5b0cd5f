import { describe, expect, it } from 'vitest'
import type { CatalogueControl } from './catalogue.ts'
import { type KnownControl, listChanges, planImport } from './catalogue-changes.ts'

const KEEP = { archive_missing: false }
const known: KnownControl = {
  control_id: 'id-a',
  identifier: 'a',
  name: 'A',
  description: 'about a',
  links: { x: 'https://x.example' },
  tags: { team: 'blue' },
  version: 3,
  archived: false,
}
const same: CatalogueControl = {
  identifier: 'a',
  name: 'A',
  description: 'about a',
  links: { x: 'https://x.example' },
  tags: undefined,
  archived: undefined,
}

const plan = (
  requested: Partial<CatalogueControl>,
  before: Partial<KnownControl> | null = {},
  has_all_tags = true,
) => {
  const catalogue = { controls: [{ ...same, ...requested }], has_all_tags }
  const [planned] = planImport(catalogue, before ? [{ ...known, ...before }] : [], KEEP)
  if (!planned) throw new Error('nothing was planned')
  return planned
}
const formatSteps = (planned: ReturnType<typeof plan>) =>
  planned.entries.map(({ kind, version }) => `${kind} ${version}`)

describe('an existing control', () => {
  it.each<[string, Partial<CatalogueControl>, Partial<KnownControl>, string[], string[]]>([
    ['is left as it is', {}, {}, [], ['unchanged']],
    ['is left as it is when its state is said', { archived: false }, {}, [], ['unchanged']],
    ['is edited', { name: 'B' }, {}, ['Edited 4'], ['updated']],
    ['loses what the file leaves out', { description: null, links: {} }, {}, ['Edited 4'], ['updated']],
    ['leaves', { archived: true }, {}, ['Archived 4'], ['archived']],
    [
      'is edited and leaves',
      { name: 'B', archived: true },
      {},
      ['Edited 4', 'Archived 5'],
      ['updated', 'archived'],
    ],
    ['comes back', { archived: false }, { archived: true }, ['Unarchived 4'], ['unarchived']],
    [
      'comes back and is edited',
      { archived: false, name: 'B' },
      { archived: true },
      ['Unarchived 4', 'Edited 5'],
      ['unarchived', 'updated'],
    ],
    ['stays archived when nothing is said', { name: 'B', tags: {} }, { archived: true }, [], ['unchanged']],
    [
      'stays archived when that is said',
      { archived: true, name: 'B' },
      { archived: true },
      [],
      ['unchanged'],
    ],
    ['is tagged without a version', { tags: { team: 'red' } }, {}, [], ['updated']],
    ['is tagged and edited', { tags: {}, name: 'B' }, {}, ['Edited 4'], ['updated']],
    ['is tagged and leaves', { tags: {}, archived: true }, {}, ['Archived 4'], ['archived', 'updated']],
  ])('%s', (_, requested, before, entries, changes) => {
    const planned = plan(requested, before)
    expect(formatSteps(planned)).toEqual(entries)
    expect(listChanges(planned)).toEqual(changes)
    expect(planned.after.version).toBe(3 + entries.length)
    expect(planned.control_id).toBe('id-a')
  })

  it('has in each entry the definition at that time', () => {
    const { entries, after } = plan({ archived: false, name: 'B' }, { archived: true })
    expect(entries.map(({ definition }) => definition.name)).toEqual(['A', 'B'])
    expect(entries.map(({ changes }) => changes)).toEqual([[], ['name']])
    expect(after).toEqual({
      name: 'B',
      description: 'about a',
      links: { x: 'https://x.example' },
      tags: { team: 'blue' },
      version: 5,
      archived: false,
    })
  })

  it('gets the tags of the file, or adds them to its own', () => {
    const tags = { risk: 'high' }
    expect(plan({ tags }).tag_change).toEqual({ set_tags: { risk: 'high' }, remove_tags: ['team'] })
    expect(plan({ tags }).after.tags).toEqual(tags)
    expect(plan({ tags }, {}, false).tag_change).toEqual({ set_tags: { risk: 'high' }, remove_tags: [] })
    expect(plan({ tags }, {}, false).after.tags).toEqual({ risk: 'high', team: 'blue' })
    expect(plan({}).tag_change).toBeNull()
    expect(plan({}, {}, false).tag_change).toBeNull()
    expect(plan({ tags: { team: 'blue' } }).tag_change).toBeNull()
  })
})

describe('a new control', () => {
  it.each<[string, Partial<CatalogueControl>, string[], string[]]>([
    ['is created', {}, ['Created 1'], ['created']],
    ['is created with tags', { tags: { a: 'b' } }, ['Created 1'], ['created']],
    ['is created and leaves', { archived: true }, ['Created 1', 'Archived 2'], ['created', 'archived']],
  ])('%s', (_, requested, entries, changes) => {
    const planned = plan(requested, null)
    expect(formatSteps(planned)).toEqual(entries)
    expect(listChanges(planned)).toEqual(changes)
    expect(planned).toMatchObject({
      control_id: null,
      after: { version: entries.length, archived: requested.archived ?? false, tags: requested.tags ?? {} },
    })
  })
})

it('archives missing controls on request, and only active ones', () => {
  const others = [known, { ...known, identifier: 'b', control_id: 'id-b' }]
  const gone = { ...known, identifier: 'c', control_id: 'id-c', archived: true }
  const catalogue = { controls: [same], has_all_tags: true }
  expect(planImport(catalogue, [...others, gone], KEEP).map(({ identifier }) => identifier)).toEqual(['a'])
  const planned = planImport(catalogue, [...others, gone], { archive_missing: true })
  expect(planned.map(one => [one.identifier, ...listChanges(one)])).toEqual([
    ['a', 'unchanged'],
    ['b', 'archived'],
  ])
  expect(planned[1]?.after).toMatchObject({ version: 4, archived: true, name: 'A' })
})
