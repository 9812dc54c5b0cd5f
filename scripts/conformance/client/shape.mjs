// Compares JSON output with what a step expects and describes the differences. An expected object may have only some
// of the keys; a list must have the same length; a pattern is for strings; a function decides itself.

export function findMismatches(found, expected, fill, place = 'output') {
  if (typeof expected === 'function') {
    return expected(found) ? [] : [`${place} fails ${expected}: ${formatValue(found)}`]
  }
  if (expected instanceof RegExp) {
    return typeof found === 'string' && expected.test(found) ? [] : [describeMismatch(place, expected, found)]
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return [describeMismatch(place, 'a list', found)]
    if (found.length !== expected.length) return [describeMismatch(`${place}.length`, expected.length, found)]
    return expected.flatMap((one, index) => findMismatches(found[index], one, fill, `${place}[${index}]`))
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof found !== 'object' || found === null) return [describeMismatch(place, 'an object', found)]
    return Object.entries(expected).flatMap(([key, one]) =>
      findMismatches(found[key], one, fill, `${place}.${key}`),
    )
  }
  const expectedValue = typeof expected === 'string' ? fill(expected) : expected
  return Object.is(found, expectedValue)
    ? []
    : [describeMismatch(place, JSON.stringify(expectedValue), found)]
}

const describeMismatch = (place, expected, found) =>
  `${place}: expected ${expected}, found ${formatValue(found)}`
const formatValue = value => (JSON.stringify(value) ?? 'nothing').slice(0, 300)

/** For lists whose order is not known. */
export const contains = expected => found =>
  found.some(item => findMismatches(item, expected, text => text).length === 0)

export const isTime = value => typeof value === 'number' && value > 1_700_000_000
