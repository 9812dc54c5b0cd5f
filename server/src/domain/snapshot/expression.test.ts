import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { formatRequested, parseExpression, parseSnappish, resolveIndex } from './expression.ts'
import { type Fields, parseWithOracle } from './expression-oracle.test.ts'

const NOW = new Date('2026-03-31T10:20:30.456Z')
const MAX = 2 ** 31 - 1

const makeIndex = (index: number) => ({ kind: 'index', index })
const makeBehind = (behind: number) => ({ kind: 'behind', behind })
const makeTimeExpression = (iso: string) => ({ kind: 'at', time: new Date(iso) })

const table: [string, unknown][] = [
  ['1', makeIndex(1)],
  ['42', makeIndex(42)],
  ['-1', makeIndex(-1)],
  ['-17', makeIndex(-17)],
  ['#42', makeIndex(42)],
  ['#-1', makeIndex(-1)],
  ['~0', makeBehind(0)],
  ['~5', makeBehind(5)],
  ['2147483647', makeIndex(MAX)],
  ['2147483648', makeIndex(MAX)],
  ['-99999999999999999999', makeIndex(-MAX)],
  ['~99999999999999999999', makeBehind(MAX)],
  ['9'.repeat(400), makeIndex(MAX)],
  ['@{now}', makeBehind(0)],
  ['@{2023-10-02T12:00:00}', makeTimeExpression('2023-10-02T12:00:00Z')],
  ['@{2023-10-02T12:00:00Z}', makeTimeExpression('2023-10-02T12:00:00Z')],
  ['@{2024-02-29T23:59:59}', makeTimeExpression('2024-02-29T23:59:59Z')],
  ['@{0001-01-01T00:00:00}', makeTimeExpression('0001-01-01T00:00:00Z')],
  ['@{0099-06-15T00:00:00}', makeTimeExpression('0099-06-15T00:00:00Z')],
  ['@{9999-12-31T23:59:59}', makeTimeExpression('9999-12-31T23:59:59Z')],
  ['@{2.hours.ago}', makeTimeExpression('2026-03-31T08:20:30.456Z')],
  ['@{1.hour.ago}', makeTimeExpression('2026-03-31T09:20:30.456Z')],
  ['@{31.days.ago}', makeTimeExpression('2026-02-28T10:20:30.456Z')],
  ['@{1.day.ago}', makeTimeExpression('2026-03-30T10:20:30.456Z')],
  ['@{2.weeks.ago}', makeTimeExpression('2026-03-17T10:20:30.456Z')],
  ['@{1.week.ago}', makeTimeExpression('2026-03-24T10:20:30.456Z')],
  ['@{1.months.ago}', makeTimeExpression('2026-02-28T10:20:30.456Z')],
  ['@{1.month.ago}', makeTimeExpression('2026-02-28T10:20:30.456Z')],
  ['@{25.months.ago}', makeTimeExpression('2024-02-29T10:20:30.456Z')],
  ['@{3.months.ago}', makeTimeExpression('2025-12-31T10:20:30.456Z')],
  ['@{4.months.ago}', makeTimeExpression('2025-11-30T10:20:30.456Z')],
  ['@{12.months.ago}', makeTimeExpression('2025-03-31T10:20:30.456Z')],
  ['@{24300.months.ago}', makeTimeExpression('0001-03-31T10:20:30.456Z')],
]

const refused = [
  ...['01', '007', '#01', '-01', '#-01', '~01', '~00', '~007'],
  ...['', '0', '-0', '#0', '000', '#', '~', '~-1', '-', '--1', '+1', '1.0', '1e3', '0x10', ' 1', '1 ', '1\n'],
  ...[
    '##1',
    '#~1',
    '١',
    'latest',
    'NOW',
    'now',
    '@',
    '@{}',
    '@now',
    '@{now',
    '@{NOW}',
    '@{now}\n',
    '@{ now }',
  ],
  ...['@{2023-02-29T00:00:00}', '@{2023-02-30T00:00:00}', '@{1900-02-29T00:00:00}', '@{2023-04-31T00:00:00}'],
  ...['@{2023-00-10T00:00:00}', '@{2023-13-10T00:00:00}', '@{2023-10-00T00:00:00}', '@{2023-10-32T00:00:00}'],
  ...['@{2023-10-02T24:00:00}', '@{2023-10-02T12:60:00}', '@{2023-12-31T23:59:60}', '@{0000-12-31T00:00:00}'],
  ...['@{2023-10-02}', '@{2023-10-02 12:00:00}', '@{2023-10-02T12:00}', '@{2023-10-02T12:00:00+02:00}'],
  ...['@{2023-10-02T12:00:00.5}', '@{2023-10-02t12:00:00}', '@{12023-10-02T12:00:00}', '@{1696248000}'],
  ...['@{0.days.ago}', '@{-1.days.ago}', '@{1.5.days.ago}', '@{days.ago}', '@{1.days}', '@{1.days.hence}'],
  ...['@{1.years.ago}', '@{1.minutes.ago}', '@{1.Days.ago}', '@{1 days ago}', '@{1.dayss.ago}'],
  ...['@{24320.months.ago}', '@{999999.weeks.ago}', `@{${'9'.repeat(400)}.months.ago}`],
  `@{${'9'.repeat(400)}.hours.ago}`,
]

describe('an expression', () => {
  it.each(table)('%s is read', (text, expected) => expect(parseExpression(text, NOW)).toEqual(expected))
  it.each(refused)('%j is refused', text => expect(parseExpression(text, NOW)).toBeUndefined())
})

describe('an expression with its environment', () => {
  it.each([
    ['prod', 'prod', makeIndex(-1), 'prod'],
    ['prod#42', 'prod', makeIndex(42), 'prod#42'],
    ['prod#-1', 'prod', makeIndex(-1), 'prod#-1'],
    ['prod~5', 'prod', makeBehind(5), 'prod~5'],
    ['eu-1.prod_x#3', 'eu-1.prod_x', makeIndex(3), 'eu-1.prod_x#3'],
    ['42', '42', makeIndex(-1), '42'],
    ['prod-1', 'prod-1', makeIndex(-1), 'prod-1'],
    ['prod@{now}', 'prod', makeBehind(0), 'prod@{now}'],
    ['prod@{1.month.ago}', 'prod', makeTimeExpression('2026-02-28T10:20:30.456Z'), 'prod@{1.month.ago}'],
  ])('%s is read', (text, environment_name, expression, asked) =>
    expect(parseSnappish(text, NOW)).toEqual({ environment_name, expression, asked }),
  )

  it.each(['', '#1', '~1', '@{now}', '-1', 'prod#', 'prod~', 'prod#0', 'prod##1', 'prod@', 'prod 1', 'pröd'])(
    '%j is refused',
    text => expect(parseSnappish(text, NOW)).toBeUndefined(),
  )
  it.each(['prod#1#2', 'prod~1~2', 'prod\n', '_prod', 'a/b#1'])('%j is refused', text =>
    expect(parseSnappish(text, NOW)).toBeUndefined(),
  )
})

describe('the index', () => {
  it.each([
    ['5', 7, 5],
    ['23', 3, 23],
    ['23', 0, 23],
    ['-1', 7, 7],
    ['-7', 7, 1],
    ['-8', 7, 0],
    ['-1', 0, 0],
    ['~0', 7, 7],
    ['~6', 7, 1],
    ['~7', 7, 0],
    ['~3', 0, -3],
  ])('of %s with %i snapshots', (text, latest_index, expected) => {
    const read = parseExpression(text, NOW)
    if (!read || read.kind === 'at') throw new Error(`${text} is no index`)
    expect(resolveIndex(read, latest_index)).toBe(expected)
  })
})

describe('the name in an error', () => {
  it.each([
    ['-1', 'prod#-1'],
    ['23', 'prod#23'],
    ['#23', 'prod#23'],
    ['#-1', 'prod#-1'],
    ['~3', 'prod~3'],
    ['@{2.hours.ago}', 'prod@{2.hours.ago}'],
    ['', 'prod'],
  ])('of %j', (text, expected) => expect(formatRequested('prod', text)).toBe(expected))
})

describe('against an independent reading', () => {
  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  const zones: [string, number][] = [
    ['UTC', 0],
    ['America/New_York', 300],
    ['Asia/Kolkata', -330],
    ['Australia/Lord_Howe', -660],
    ['Pacific/Kiritimati', -840],
    ['America/St_Johns', 210],
  ]
  it.each(zones)('5,000 expressions in %s', (name, offset) => {
    process.env.TZ = name
    expect(new Date('2026-01-15T12:00:00Z').getTimezoneOffset()).toBe(offset)
    fc.assert(
      fc.property(anyExpression, anyNow, (text, now) => {
        const read = parseExpression(text, new Date(now))
        const shown = read?.kind === 'at' ? { ...read, time: read.time.toISOString() } : read
        expect(shown).toEqual(parseWithOracle(text, now))
      }),
      { numRuns: 5_000 },
    )
  })
})

const makePad = (width: number) => (value: number) => String(value).padStart(width, '0')
const number = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.bigInt({ min: 0n, max: 10n ** 12n }),
  fc.nat(30_000),
)

// Ends of months and leap days, far more often than chance would produce them.
const date = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(0, 1, 99, 1900, 2000, 2023, 2024, 2100, 9999),
      fc.integer({ min: 1, max: 9999 }),
    ),
    fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(2, 3)),
    fc.oneof(fc.integer({ min: 1, max: 28 }), fc.constantFrom(28, 29, 30, 31)),
  )
  .map(([year, month, day]) => `${makePad(4)(year)}-${makePad(2)(month)}-${makePad(2)(day)}`)
const makeTime = (hours: number, rest: number) =>
  fc.tuple(fc.nat(hours), fc.nat(rest), fc.nat(rest)).map(parts => parts.map(makePad(2)).join(':'))

const anyNow = fc
  .tuple(date, makeTime(23, 59), fc.nat(999))
  .map(([day, time, ms]): Fields => `${day}T${time}.${makePad(3)(ms)}Z`)
  .filter(text => parseWithOracle(`@{${text.slice(0, 19)}}`, text) !== undefined)

const anyExpression = fc.oneof(
  fc.tuple(fc.constantFrom('', '-', '#', '#-', '~', '~-', '+'), number).map(([sign, n]) => `${sign}${n}`),
  fc
    .tuple(date, makeTime(24, 60), fc.constantFrom('', 'Z', 'z', '.0'))
    .map(([day, time, end]) => `@{${day}T${time}${end}}`),
  fc
    .tuple(number, fc.constantFrom('hour', 'day', 'week', 'month', 'month', 'year'), fc.constantFrom('', 's'))
    .map(([n, unit, s]) => `@{${n}.${unit}${s}.ago}`),
  fc.constant('@{now}'),
  fc
    .array(fc.constantFrom(...'#~@{}-.0123:TZ', 'now', 'days', 'ago'), { maxLength: 8 })
    .map(all => all.join('')),
)
