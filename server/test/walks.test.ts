// The three walks of ARCHITECTURE.md: a newcomer reaches the row in a few files, each named by one read before.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildFileGraph } from './import-graph.ts'

const MAX_FILES = 10

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const section = /^## Three walks\n(.*?)^## /ms.exec(document)?.[1] ?? ''
const walks = section
  .split(/^\*\*/m)
  .slice(1)
  .map(text => ({
    title: text.slice(0, text.indexOf('**')),
    files: [...text.matchAll(/^\d+\. `([^`]+)`/gm)].map(match => match[1] ?? ''),
  }))

describe('a walk', () => {
  it('is one of three', () => {
    expect(walks.map(({ title }) => title)).toEqual([
      'Report what runs',
      'Attest with an attachment',
      'Try a policy',
    ])
  })

  it.each(walks)('has at most ten files, none of them twice: $title', ({ files }) => {
    expect(files.length).toBeGreaterThan(5)
    expect(files.length).toBeLessThanOrEqual(MAX_FILES)
    expect(new Set(files).size).toBe(files.length)
    expect(files.filter(path => !existsSync(join(root, path)))).toEqual([])
  })

  it.each(walks)('reads no file that nothing before it imports: $title', ({ files }) => {
    const graph = buildFileGraph(files.map(path => ({ path, text: readFileSync(join(root, path), 'utf8') })))
    const stray = files.filter(
      (path, i) => i > 0 && !files.slice(0, i).some(earlier => graph.get(earlier)?.has(path)),
    )
    expect(stray).toEqual([])
  })
})
