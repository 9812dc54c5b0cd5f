// Parses the arguments of `npm run test:on -- node`: release lines, which are major versions of Node or PostgreSQL,
// and then arguments for vitest.
export const getLine = version => version.split('.')[0]

/** Leading numbers select release lines; the default is all. The rest is passed to vitest. */
export function readArguments(versions, args) {
  const end = args.findIndex(arg => !/^\d+$/.test(arg))
  const numbers = end === -1 ? args : args.slice(0, end)
  const rest = end === -1 ? [] : args.slice(args[end] === '--' ? end + 1 : end)
  const lines = versions.map(getLine)
  const unknown = numbers.filter(number => !lines.includes(number))
  if (unknown.length > 0) {
    return { problem: `There is no line ${unknown.join(', ')}. The lines are ${lines.join(', ')}.` }
  }
  return {
    picked: versions.filter(version => numbers.length === 0 || numbers.includes(getLine(version))),
    for_vitest: rest,
  }
}
