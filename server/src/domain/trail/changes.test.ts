import { describe, expect, it } from 'vitest'
import { applyPatch, type TrailFields } from './changes.ts'

const stored: TrailFields = {
  description: 'first',
  user_data: { a: 1, b: { c: [1, 2], d: null } },
  git_commit_info: { sha1: 'abc', parents: [] },
  repo_info: null,
  external_urls: {},
  origin_url: 'https://ci.example/1',
  template_id: 't1',
}

const table: [string, Partial<TrailFields>, string[]][] = [
  ['nothing', {}, []],
  ['the same text', { description: 'first' }, []],
  ['another text', { description: 'second' }, ['description']],
  ['an empty text', { description: '' }, ['description']],
  ['null for a value', { origin_url: null }, ['origin_url']],
  ['null for null', { repo_info: null }, []],
  ['an object for null', { repo_info: {} }, ['repo_info']],
  ['keys in another order', { user_data: { b: { d: null, c: [1, 2] }, a: 1 } }, []],
  ['items in another order', { user_data: { a: 1, b: { c: [2, 1], d: null } } }, ['user_data']],
  ['a key less', { user_data: { a: 1 } }, ['user_data']],
  ['a key more', { external_urls: { x: { href: 'y' } } }, ['external_urls']],
  ['null for an absent key', { external_urls: { x: null } }, ['external_urls']],
  ['undefined for an absent key', { external_urls: { x: undefined } }, []],
  ['a list for an object', { external_urls: [] }, ['external_urls']],
  ['an object for a list', { git_commit_info: { sha1: 'abc', parents: {} } }, ['git_commit_info']],
  ['text for a number', { user_data: { a: '1', b: { c: [1, 2], d: null } } }, ['user_data']],
  ['an inherited key', { user_data: { toString: 1 } }, ['user_data']],
  ['another template', { template_id: 't2' }, ['template']],
  [
    'several, sorted',
    { template_id: 't2', description: '', repo_info: 1 },
    ['description', 'repo_info', 'template'],
  ],
]

describe.each(table)('%s', (_, patch, changes) => {
  it('is described by its fields', () => expect(applyPatch(stored, patch).changes).toEqual(changes))
  it('leads to the patched fields', () =>
    expect(applyPatch(stored, patch).next).toEqual({ ...stored, ...patch }))
})

it('leaves its input alone', () => {
  const before = structuredClone(stored)
  applyPatch(stored, { description: 'second', user_data: null })
  expect(stored).toEqual(before)
})

it('treats an undefined value as an absent key', () => {
  const patch = JSON.parse('{}') as Partial<TrailFields>
  Object.assign(patch, { description: undefined })
  expect(applyPatch(stored, patch)).toEqual({ next: stored, changes: [] })
})
