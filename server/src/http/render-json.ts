// Renders JSON in pieces, so that a long list is never one string. Together the pieces are what JSON.stringify returns.

/** Objects below this depth are rendered whole, like the items of lists. */
const MAX_DEPTH = 4

/** Yields nothing for what JSON cannot express. */
export function* renderJson(value: unknown, depth = 0): Generator<string> {
  if (Array.isArray(value)) {
    yield '['
    for (const [place, item] of value.entries())
      yield (place === 0 ? '' : ',') + (JSON.stringify(item) ?? 'null')
    yield ']'
  } else if (depth < MAX_DEPTH && isPlainObject(value)) {
    let separator = '{'
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue
      yield `${separator}${JSON.stringify(key)}:`
      yield* renderJson(item, depth + 1)
      separator = ','
    }
    yield separator === '{' ? '{}' : '}'
  } else {
    const text = JSON.stringify(value)
    if (text !== undefined) yield text
  }
}

/** Joins pieces until they have about the given length. */
export function* joinPieces(pieces: Iterable<string>, characters: number): Generator<string> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < characters) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function isPlainObject(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !('toJSON' in value && typeof value.toJSON === 'function')
  )
}
