// What is sealed is opened by the same key for the same purpose, and by nothing else.
import { expect, it } from 'vitest'
import { makeSealer } from './sealer.ts'

const sealer = makeSealer('a key of the operator, long enough')

it('opens what it sealed, each time another text', () => {
  const [one, two] = [sealer.seal('mail', 'secret ✓'), sealer.seal('mail', 'secret ✓')]
  expect(one).not.toBe(two)
  expect(sealer.open('mail', one)).toBe('secret ✓')
  expect(one).not.toContain('secret')
})

it('opens nothing for another purpose, by another key, or changed in any place', () => {
  const sealed = sealer.seal('mail', 'secret')
  expect(sealer.open('webhook', sealed)).toBeUndefined()
  expect(makeSealer('another key').open('mail', sealed)).toBeUndefined()
  expect(sealer.open('mail', '')).toBeUndefined()
  for (let i = 0; i < sealed.length; i++) {
    const changed = sealed.slice(0, i) + (sealed[i] === 'A' ? 'B' : 'A') + sealed.slice(i + 1)
    const opened = sealer.open('mail', changed)
    // The last character of base64 may carry bits that mean nothing.
    if (i < sealed.length - 1) expect(opened, String(i)).toBeUndefined()
  }
})
