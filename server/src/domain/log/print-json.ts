// Prints JSON exactly as PostgreSQL prints a `jsonb` value, so that the bytes of a stored value are known before it is
// stored and can be read back at any time. `server/test/print-json.test.ts` compares the two for random values.

/** Sorts keys by the length of their UTF-8 form, then by their bytes; prints numbers without an exponent. */
export function printJson(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return printString(value)
  if (typeof value === 'number') return printNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map(printJson).join(', ')}]`
  if (typeof value !== 'object') throw new TypeError(`JSON has no ${typeof value}`)
  if ('toJSON' in value && typeof value.toJSON === 'function') return printJson(value.toJSON())
  return printObject(value as Record<string, unknown>)
}

function printObject(object: Record<string, unknown>): string {
  const pairs: string[] = []
  const keys = Object.keys(object)
  for (const key of keys.sort(keys.every(isAscii) ? compareAscii : compareKeys)) {
    const value = object[key]
    if (value !== undefined) pairs.push(`${printString(key)}: ${printJson(value)}`)
  }
  return `{${pairs.join(', ')}}`
}

/** Most texts need no escapes, only quotes. */
function printString(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`
}

const NEEDS_ESCAPES = /["\\\p{Cc}\p{Cs}]/u

const isAscii = (text: string) => /^[ -~]*$/.test(text)

/** Like `compareKeys`, for texts in which every character is one byte. */
function compareAscii(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

function compareKeys(a: string, b: string): number {
  return Buffer.byteLength(a) - Buffer.byteLength(b) || compareBytes(a, b)
}

function compareBytes(a: string, b: string): number {
  // Without surrogates, characters and their bytes have the same order.
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : a > b ? 1 : 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const SURROGATE = /[\ud800-\udfff]/

const EXPONENT = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/

function printNumber(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  const text = JSON.stringify(value)
  const [, sign = '', whole = '', fraction = '', exponent] = EXPONENT.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
