// Arbitrary controls for tests of the formats: at all limits and with every character that the database can store.
import fc from 'fast-check'
import type { CatalogueControl, ParsedCatalogue } from './catalogue.ts'

const NASTY = [
  '=1+1',
  "'=1",
  "''+x",
  '-2',
  '@cmd',
  '\t=x',
  '\r',
  '\n',
  '\r\n',
  ' x',
  'x ',
  '"',
  '""',
  ',',
  ';',
  '=',
  '\\',
  '\\;',
  '#',
  ': ',
  '- a',
  '| ',
  '> x',
  'yes',
  'null',
  '~',
  '2001-12-14',
  '1_000',
  '0o7',
  '*alias',
  '&anchor',
  '!tag',
  '%41',
  '%',
  '{{ insert: param, x }}',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\u007f',
  '\u0001',
  '\u00a0',
  '＝1',
  '💥',
  'é',
  'e\u0301',
  'a\n\n  b\n',
  '\n\n',
  '---',
  '...',
  '[',
  '{',
  '?',
  ' ',
]

const text = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 6 })
  .map(parts => parts.join('').replaceAll('\0', ''))
const limitText = (max: number) => text.map(whole => [...whole].slice(0, max).join(''))
const limitNonEmptyText = (max: number) => limitText(max).filter(whole => whole !== '')

const identifier = fc.string({
  unit: fc.constantFrom(...'aZ09-._~'),
  minLength: 1,
  maxLength: 8,
})
const tagKey = fc
  .tuple(fc.constantFrom(...'aZ9'), fc.string({ unit: fc.constantFrom(...'aZ9-._~'), maxLength: 5 }))
  .map(parts => parts.join(''))
const address = fc.constantFrom(
  'https://example.com',
  'HTTPS://Example.com/a;b=c?d=e&f=%41#g',
  'http://example.com/ü/{x}|y?q=[1]#a#b',
  'http://[::1]:80/%zz',
  "http://example.com/'a',b",
)

const makeRecord = <V>(key: fc.Arbitrary<string>, value: fc.Arbitrary<V>) =>
  fc
    .uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name })
    .map(pairs => Object.fromEntries(pairs))

const control: fc.Arbitrary<CatalogueControl> = fc.record({
  identifier,
  name: limitNonEmptyText(255),
  description: text.map(whole => whole || null),
  links: makeRecord(limitNonEmptyText(100), address),
  tags: makeRecord(tagKey, limitText(1024)),
  archived: fc.boolean(),
})

export const someControls: fc.Arbitrary<CatalogueControl[]> = fc.uniqueArray(control, {
  maxLength: 5,
  selector: one => one.identifier,
})

/** A control with nothing but its identifier and name. */
export const BARE_CONTROL: CatalogueControl = {
  identifier: 'A-1',
  name: 'One',
  description: null,
  links: {},
  tags: undefined,
  archived: undefined,
}

export const requireControls = (parsed: ParsedCatalogue) => {
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.catalogue.controls
}
export const listErrors = (parsed: ParsedCatalogue) => (parsed.ok ? {} : parsed.errors)
