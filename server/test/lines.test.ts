// `npm run test:on -- node` and `npm run test:on -- postgres`: argument parsing, and whether documents and packages
// name the tested versions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { NODE_VERSIONS, POSTGRES_VERSIONS } from '../../scripts/run/versions.mjs'
import { getLine, readArguments } from '../../scripts/test/lines.mjs'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const joinLines = (versions: readonly string[]) =>
  versions
    .map(getLine)
    .join(', ')
    .replace(/, (\d+)$/, ' and $1')

describe('arguments', () => {
  const versions = ['20.19.0', '22.1.0', '24.1.0']

  it.each([
    { args: [], picked: versions, for_vitest: [] },
    { args: ['24'], picked: ['24.1.0'], for_vitest: [] },
    { args: ['24', '20'], picked: ['20.19.0', '24.1.0'], for_vitest: [] },
    { args: ['22', 'flows', '-t', 'names 3'], picked: ['22.1.0'], for_vitest: ['flows', '-t', 'names 3'] },
    { args: ['flows', '22'], picked: versions, for_vitest: ['flows', '22'] },
    { args: ['22', '--', '24'], picked: ['22.1.0'], for_vitest: ['24'] },
    { args: ['--', '404'], picked: versions, for_vitest: ['404'] },
  ])('$args', ({ args, picked, for_vitest }) => {
    expect(readArguments(versions, args)).toEqual({ picked, for_vitest })
  })

  it('lists the release lines if the given one does not exist', () => {
    const problem = 'There is no line 18, 23. The lines are 20, 22, 24.'
    expect(readArguments(versions, ['24', '18', '23', 'flows'])).toEqual({ problem })
  })
})

describe('the lines', () => {
  it('of Node begin with the oldest version that the package allows', () => {
    const { engines } = JSON.parse(read('package.json'))
    expect(`>=${NODE_VERSIONS[0]}`).toBe(`${engines.node}.0`)
  })

  it('of PostgreSQL end with the bundled version', () => {
    const { optionalDependencies } = JSON.parse(read('packages/embedded-postgres/package.json'))
    expect(new Set(Object.values(optionalDependencies))).toEqual(new Set(POSTGRES_VERSIONS.slice(-1)))
  })

  it.each([
    ['docs/operate/install.md', `The tests run on Node ${joinLines(NODE_VERSIONS)}; 24 is recommended.`],
    ['docs/operate/install.md', `Waybill supports PostgreSQL ${joinLines(POSTGRES_VERSIONS)};`],
  ])('are those that %s names', (file, promise) => {
    expect(read(file).replaceAll('\n', ' ')).toContain(promise)
  })
})
