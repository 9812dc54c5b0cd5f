// A second implementation of snapshot expressions, for comparison only: no Date, but day numbers computed by hand.
import { expect, it } from 'vitest'

export type Fields = string // an ISO 8601 time with milliseconds and Z

const isLeap = (y: number) => (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0
const countDays = (y: number, m: number) =>
  m === 2 ? (isLeap(y) ? 29 : 28) : [4, 6, 9, 11].includes(m) ? 30 : 31

function countDaysBefore(y: number, m: number): number {
  let days = (y - 1) * 365 + Math.floor((y - 1) / 4) - Math.floor((y - 1) / 100) + Math.floor((y - 1) / 400)
  for (let month = 1; month < m; month++) days += countDays(y, month)
  return days
}

function write(y: number, m: number, d: number, time: string): Fields {
  const padTwo = (n: number) => String(n).padStart(2, '0')
  return `${String(y).padStart(4, '0')}-${padTwo(m)}-${padTwo(d)}T${time}`
}

function writeHours(hours: number, rest: string): Fields | undefined {
  if (hours < 0) return undefined
  let days = Math.floor(hours / 24)
  let y = Math.floor(days / 366) + 1
  while (countDaysBefore(y + 1, 1) <= days) y++
  days -= countDaysBefore(y, 1)
  let m = 1
  for (; days >= countDays(y, m); m++) days -= countDays(y, m)
  return write(y, m, days + 1, `${String(hours % 24).padStart(2, '0')}${rest}`)
}

function subtract(now: Fields, n: number, unit: string): Fields | undefined {
  const [y = 0, m = 0, d = 0, h = 0] = now.split(/[-T:]/).map(Number)
  if (unit === 'month') {
    let [year, month] = [y - Math.floor(n / 12), m - (n % 12)]
    if (month < 1) [year, month] = [year - 1, month + 12]
    return year < 1 ? undefined : write(year, month, Math.min(d, countDays(year, month)), now.slice(11))
  }
  const hours = (countDaysBefore(y, m) + d - 1) * 24 + h
  return writeHours(hours - n * (unit === 'hour' ? 1 : unit === 'day' ? 24 : 168), now.slice(13))
}

export function parseWithOracle(text: string, now: Fields): unknown {
  const numbered = text.match(/^(#?-?|~)([0-9]+)$/)
  if (numbered) {
    if (/^0./.test(numbered[2] ?? '')) return undefined
    const n = BigInt(numbered[2] ?? '') > 2147483647n ? 2147483647 : Number(numbered[2])
    if (numbered[1] === '~') return { kind: 'behind', behind: n }
    return n === 0 ? undefined : { kind: 'index', index: numbered[1]?.endsWith('-') ? -n : n }
  }
  const toTimeExpression = (time: Fields | undefined) => time && { kind: 'at', time }
  if (text === '@{now}') return { kind: 'behind', behind: 0 }
  const ago = text.match(/^@\{([0-9]+)\.(hour|day|week|month)s?\.ago\}$/)
  if (ago)
    return Number(ago[1]) === 0 ? undefined : toTimeExpression(subtract(now, Number(ago[1]), ago[2] ?? ''))
  const exact = text.match(/^@\{(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)Z?\}$/)
  const [y = 0, m = 0, d = 0] = (exact ?? []).slice(1, 4).map(Number)
  const isDay = y > 0 && m > 0 && m < 13 && d > 0 && d <= countDays(y, m)
  return exact && isDay ? toTimeExpression(`${text.slice(2, 21)}.000Z`) : undefined
}

it('knows the calendar', () => {
  expect(subtract('2024-03-01T00:30:00.000Z', 1, 'hour')).toBe('2024-02-29T23:30:00.000Z')
  expect(subtract('1900-03-01T05:00:00.000Z', 1, 'day')).toBe('1900-02-28T05:00:00.000Z')
})
