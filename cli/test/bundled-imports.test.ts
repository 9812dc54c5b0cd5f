// If a bundled package is loaded late, one of our modules must load it: the bundle of a CommonJS package has
// no named exports.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/run/build.mjs'
import { EXTERNAL_PACKAGES } from '../../scripts/run/bundle-options.mjs'

const folder = join(root, 'cli', 'src')

it('loads only packages late that are not part of the bundle', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.ts'),
  )
  const late = files.flatMap(file =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\bimport\('([^'.][^']*)'\)/g)].map(
      ([, name = '']) => name,
    ),
  )
  const isRight = (name: string) => /^(node:|@waybill\/)/.test(name) || EXTERNAL_PACKAGES.includes(name)
  expect(late.filter(name => !isRight(name))).toEqual([])
})
