// Generated files and documented tables must match the current code.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildClientTypes } from '../../scripts/client-types.mjs'
import { buildPages } from '../../scripts/reference.mjs'
import { operations } from '../src/api/operations.ts'
import { documentedSettings } from '../src/config.ts'
import { buildOpenapi } from '../src/http/openapi.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('server/package.json'))

function listAnchors(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  return headings.map(heading =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

describe('openapi.json', () => {
  const document = buildOpenapi(operations, { version, server_urls: ['/api/v2'] })

  it('is fresh: run `npm run openapi`', () => {
    expect(JSON.parse(read('openapi.json'))).toEqual(document)
  })

  it('is what client/schema.ts was made from: run `npm run openapi`', async () => {
    expect(read('client/schema.ts') === (await buildClientTypes(document))).toBe(true)
  })

  it('is what docs/reference was made from: run `npm run openapi`', () => {
    const pages = buildPages(document)
    expect(readdirSync(join(root, 'docs/reference')).sort()).toEqual([...pages.keys()].sort())
    for (const [file, content] of pages) expect(read(`docs/reference/${file}`) === content, file).toBe(true)
  })

  it('links from every page only to places that exist', () => {
    const pages = buildPages(document)
    for (const [file, content] of pages) {
      for (const [, target = ''] of content.matchAll(/\]\(([^)\s]*)\)/g)) {
        const [page, anchor] = target.split('#')
        const place = pages.get(page || file)
        expect(place, `${file}: ${target}`).toBeDefined()
        if (anchor) expect(listAnchors(place ?? ''), `${file}: ${target}`).toContain(anchor)
      }
    }
  })
})

describe('docs/operations.md', () => {
  it('has one row for every setting, with its default', () => {
    const documented = read('docs/operations.md')
      .split('\n')
      .map(line => line.split('|').map(cell => cell.replaceAll('`', '').trim()))
      .filter(([, name = '']) => /^[A-Z][A-Z_]+$/.test(name))
      .map(([, name, shown_default]) => `${name} = ${shown_default}`)
    expect(documented.sort()).toEqual(documentedSettings.map(s => `${s.name} = ${s.shown_default}`).sort())
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
