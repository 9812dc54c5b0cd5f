// The specification for people: its examples work, and it names only existing operations and events.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { operations } from '../src/api/operations.ts'
import { parsePolicy } from '../src/domain/policy/parse.ts'
import { parseTemplate } from '../src/domain/template/parse.ts'
import { EVENT_KINDS } from '../src/events/kinds.ts'
import { OTHER_ROUTES } from './other-routes.ts'
import { readCodeBlocks, readPage } from './page-commands.ts'

const PAGES = ['docs/spec.md', ...readdirSync(join(root, 'docs', 'spec')).map(page => `docs/spec/${page}`)]

describe('the specification', () => {
  it('has templates and policies that the service accepts', () => {
    const examples = PAGES.flatMap(page => readCodeBlocks(readPage(page)))
      .filter(({ language }) => language === 'yaml')
      .map(({ text }) => (text.startsWith('_schema:') ? parsePolicy(text) : parseTemplate(text)))
    expect(examples).toEqual([expect.objectContaining({ ok: true }), expect.objectContaining({ ok: true })])
  })

  it('names only existing operations', () => {
    const named = PAGES.flatMap(page => [
      ...readPage(page).matchAll(/`((?:GET|PUT|POST|PATCH|DELETE) \/[^`?]*)[^`]*`/g),
    ]).map(([, operation]) => operation)
    const actual = [
      ...operations.map(({ contract }) => `${contract.method} ${contract.path.replaceAll('+}', '}')}`),
      ...Object.keys(OTHER_ROUTES),
    ]
    expect(named).not.toEqual([])
    expect(named.filter(operation => !actual.includes(operation as string))).toEqual([])
  })

  it('explains only existing event kinds', () => {
    const [, table = ''] = readPage('docs/spec/events.md').split('## What an event means')
    const kinds = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, kind]) => kind),
    )
    expect(kinds).not.toEqual([])
    expect(kinds.filter(kind => !EVENT_KINDS.includes(kind as never))).toEqual([])
  })
})
