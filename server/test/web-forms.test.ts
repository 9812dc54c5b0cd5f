// Which form field a server error belongs to, and which required fields are empty.
import { describe, expect, it } from 'vitest'
import { dropPart, findMissing, findOwnField } from '../../web/src/ui/find-field.ts'

const VALUES = {
  name: '',
  emails: ['a@example.com'],
  targets: [
    { webhook: 'https://example.com', emails: [] },
    { webhook: '', emails: ['x'] },
  ],
  settings: { allowed_addresses: [], days: null },
  file: new Date(0),
}

describe('a server error', () => {
  it.each([
    ['name', 'name'],
    ['emails[0]', 'emails'],
    ['emails.0', 'emails'],
    ['targets', 'targets'],
    ['targets[1].webhook', 'targets.1.webhook'],
    ['targets.1.emails[0]', 'targets.1.emails'],
    // The item is gone, the list is not.
    ['targets[7].webhook', 'targets'],
    ['settings.allowed_addresses[2]', 'settings.allowed_addresses'],
    ['settings.days', 'settings.days'],
    ['file.size', 'file'],
    ['toString', undefined],
    ['other.name', undefined],
    ['', undefined],
  ])('about %s belongs to %s', (path, field) => expect(findOwnField(VALUES, path)).toBe(field))

  it.each([
    ['data_json.name', 'name'],
    ['data_json', ''],
    ['name', 'name'],
  ])('in a form with files about %s is about %s', (path, own) => expect(dropPart(path)).toBe(own))
})

describe('a required field', () => {
  it('is missing if it is empty, blank, null or an empty list', () => {
    const values = { a: '', b: '  ', c: null, d: [], e: undefined, f: 0, g: false, h: 'x', i: [''] }
    expect(Object.keys(findMissing(values, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']))).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ])
  })

  it('is not checked if it is not required', () => expect(findMissing({ a: '' }, [])).toEqual({}))
})
