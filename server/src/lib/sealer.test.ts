// A sealed secret can only be opened with the same key and for the same purpose.
import { expect, it } from 'vitest'
import { makeSealer } from './sealer.ts'

const sealer = makeSealer('a key of the operator, long enough')

it('opens what it sealed, with a different ciphertext each time', () => {
  const [one, two] = [sealer.seal('mail', 'secret ✓'), sealer.seal('mail', 'secret ✓')]
  expect(one).not.toBe(two)
  expect(sealer.open('mail', one)).toBe('secret ✓')
  expect(one).not.toContain('secret')
})

it('opens nothing for another purpose, with another key, or after any change', () => {
  const sealed = sealer.seal('mail', 'secret')
  expect(sealer.open('webhook', sealed)).toBeUndefined()
  expect(makeSealer('another key').open('mail', sealed)).toBeUndefined()
  expect(sealer.open('mail', '')).toBeUndefined()
  for (let i = 0; i < sealed.length; i++) {
    const changed = sealed.slice(0, i) + (sealed[i] === 'A' ? 'B' : 'A') + sealed.slice(i + 1)
    const opened = sealer.open('mail', changed)
    // The last base64 character may have meaningless bits.
    if (i < sealed.length - 1) expect(opened, String(i)).toBeUndefined()
  }
})
