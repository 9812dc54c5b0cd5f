// Generated files and printed tables must match the code.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { writeSettingsPage } from '../src/settings/write.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe('docs/operate/settings.md', () => {
  it('is fresh: run `npm run docs`', () => {
    expect(read('docs/operate/settings.md')).toBe(writeSettingsPage())
  })
})

describe('package-lock.json', () => {
  const packages: Record<
    string,
    { version?: string; integrity?: string; link?: boolean; resolved?: string }
  > = JSON.parse(read('package-lock.json')).packages

  it('pins every package with sha512 and names no registry', () => {
    const outside = Object.entries(packages).filter(
      ([path, entry]) => path.includes('node_modules/') && !entry.link,
    )
    const unpinned = outside.filter(([, entry]) => !entry.integrity?.startsWith('sha512-'))
    expect(unpinned.map(([path]) => path)).toEqual([])
    expect(outside.filter(([, entry]) => entry.resolved !== undefined)).toEqual([])
  })
})
