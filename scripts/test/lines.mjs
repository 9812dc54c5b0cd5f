// Shared by `npm run test:nodes` and `npm run test:databases`: runs the tests once per release line, which is a major version
// of Node or PostgreSQL, and prints one result for each.
import { spawnSync } from 'node:child_process'
import { root } from '../run/prepare.mjs'

export const getLine = version => version.split('.')[0]

/** Numbers at the beginning select release lines, by default all. The rest is passed to vitest. */
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

/**
 * `prepareVersion` returns the environment variables that make `npm test` use the version, or a problem. A line that
 * fails does not prevent the others from running.
 */
export function testLines(product, versions, prepareVersion) {
  const { problem, picked, for_vitest } = readArguments(versions, process.argv.slice(2))
  if (problem !== undefined) {
    console.error(problem)
    process.exit(1)
  }
  const results = picked.map(version => {
    const { problem, title, env } = prepareVersion(version)
    if (problem !== undefined) return { ok: false, text: `${product} ${getLine(version)}: ${problem}` }
    console.error(`— ${product} ${title}`)
    const done = spawnSync('npm', ['test', '--', ...for_vitest], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    const ending = done.signal ? `failed (${done.signal})` : `failed (exit code ${done.status})`
    return { ok: done.status === 0, text: `${product} ${title}: ${done.status === 0 ? 'passed' : ending}` }
  })
  for (const { text } of results) console.log(text)
  process.exit(results.every(({ ok }) => ok) ? 0 : 1)
}
