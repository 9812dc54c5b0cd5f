import { describe, expect, it } from 'vitest'
import { type CurrentControl, editControl, type RequestedEdit, setArchived } from './change.ts'

const current: CurrentControl = {
  name: 'Four eyes',
  description: 'Nobody merges alone',
  links: { 'ISO 27001 A.8.32': 'https://iso.example/a', runbook: 'https://wiki.example/b' },
  version: 4,
  archived: false,
}

describe('editing', () => {
  const table: [string, RequestedEdit, string[]][] = [
    ['nothing', {}, []],
    ['the same name', { name: 'Four eyes' }, []],
    [
      'the same links in another order',
      { links: Object.fromEntries(Object.entries(current.links).reverse()) },
      [],
    ],
    [
      'everything as it is',
      { name: current.name, description: current.description, links: current.links },
      [],
    ],
    ['another name', { name: 'Six eyes' }, ['name']],
    ['another description', { description: 'Two people' }, ['description']],
    ['null for the description', { description: null }, ['description']],
    ['an empty description', { description: '' }, ['description']],
    ['no links any more', { links: {} }, ['links']],
    ['a link less', { links: { runbook: 'https://wiki.example/b' } }, ['links']],
    ['another address', { links: { ...current.links, runbook: 'https://wiki.example/c' } }, ['links']],
    ['all three', { name: 'x', description: null, links: {} }, ['description', 'links', 'name']],
  ]
  it.each(table)('%s', (_, requested, changes) => {
    const edited = editControl(current, requested)
    if (changes.length === 0) return expect(edited).toEqual({ outcome: 'unchanged' })
    const { name, description, links } = { ...current, ...requested }
    const definition = { name, description: description || null, links }
    expect(edited).toEqual({ outcome: 'new version', version: 5, kind: 'Edited', definition, changes })
  })

  it('finds nothing to clear where there is no description', () => {
    const bare = { ...current, description: null }
    expect(editControl(bare, { description: '' })).toEqual({ outcome: 'unchanged' })
    expect(editControl(bare, { description: null })).toEqual({ outcome: 'unchanged' })
  })

  it.each<[string, RequestedEdit]>([
    ['something', { name: 'x' }],
    ['nothing', {}],
  ])('leaves an archived control alone when %s is requested', (_, requested) => {
    expect(editControl({ ...current, archived: true }, requested)).toEqual({ outcome: 'archived' })
  })
})

describe('archiving and unarchiving', () => {
  it.each([
    [false, true, 'Archived'],
    [true, false, 'Unarchived'],
  ] as const)('from archived %s to %s is %s and keeps the definition', (archived, requested, kind) => {
    const { name, description, links } = current
    const definition = { name, description, links }
    const entry = { version: 5, kind, definition, changes: [] }
    expect(setArchived({ ...current, archived }, requested)).toEqual(entry)
  })

  it.each([true, false])('to %s, its current state, changes nothing', archived => {
    expect(setArchived({ ...current, archived }, archived)).toBeUndefined()
  })
})
