// docs/spec.md is the contract for people: it must name every operation with the role it needs, and every kind of
// event.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/prepare.mjs'
import { operations } from '../src/api/operations.ts'
import { ATTESTATION_TYPES } from '../src/domain/attestation/types.ts'
import { EVENT_KINDS } from '../src/events/kinds.ts'

const spec = readFileSync(join(root, 'docs', 'spec.md'), 'utf8')
const OPERATION = /`((?:GET|PUT|POST|PATCH|DELETE) \/[^`]*)`/g
const ROLES = 'reader|snapshotter|member|admin|user|caller|public'

/** Every operation named with a role, in a table whose second column is the role or in a sentence. */
function listDocumented(): [string, string][] {
  const rows = [...spec.matchAll(new RegExp(`^\\| (\`[A-Z]+ /.*?) \\| (${ROLES}) \\|`, 'gm'))]
  const inTables = rows.flatMap(([, named = '', role = '']) =>
    [...named.matchAll(OPERATION)].map(([, operation = '']): [string, string] => [operation, role]),
  )
  const prose = spec.replaceAll(/\s+/g, ' ')
  const sentences = [...prose.matchAll(new RegExp(`${OPERATION.source},? role (${ROLES})\\b`, 'g'))]
  return [
    ...inTables,
    ...sentences.map(([, operation = '', role = '']): [string, string] => [operation, role]),
  ]
}

/** `<kind>` and `<type>` stand for one word of a list in the document. */
function matches(named: string, operation: string): boolean {
  const pattern = named.replaceAll(/[.{}]/g, '\\$&').replaceAll(/<\w+>/g, '\\w[\\w-]*')
  return new RegExp(`^${pattern}$`).test(operation)
}

const actual = operations.map(
  ({ contract }) =>
    [`${contract.method} ${contract.path.replaceAll('+}', '}')}`, contract.access] as [string, string],
)

describe('docs/spec.md', () => {
  it('names every operation, with the role it needs', () => {
    const named = listDocumented()
    const wrong = actual.filter(([operation, role]) => {
      const found = named.filter(([each]) => matches(each, operation))
      return found.length === 0 || found.some(([, documented]) => documented !== role)
    })
    expect(wrong).toEqual([])
  })

  it('names no operation that does not exist', () => {
    const gone = listDocumented().filter(
      ([named]) => !actual.some(([operation]) => matches(named, operation)),
    )
    expect(gone).toEqual([])
  })

  it('describes every attestation type: its path, its stored name, its fields and when it is compliant', () => {
    const [, chapter = ''] = spec.split('### 7.1 Reporting')
    const rows = [...chapter.matchAll(/^\| `(\w+)` \| `([\w:<>]+)` \| (.*) \| (.*) \|$/gm)].map(
      ([, operation, stored_name, sent = '', verdict]) => ({ operation, stored_name, sent, verdict }),
    )
    for (const { operation, stored_name, fields, summary } of ATTESTATION_TYPES) {
      const row = rows.find(each => each.stored_name === stored_name)
      expect(row, `the row of ${stored_name} in 7.1`).toMatchObject({ operation })
      for (const field of Object.keys(fields)) expect(row?.sent, stored_name).toContain(`\`${field}\``)
      expect(`Compliant when ${row?.verdict}`).toContain(summary)
    }
  })

  it('lists every kind of event, and no other', () => {
    const [, chapter = ''] = spec.split('### 28.2 Kinds')
    const kinds = [...(chapter.split('\n## ')[0] ?? '').matchAll(/^\| (.*?) \|/gm)]
      .flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)])
      .map(([, kind]) => kind)
    expect(kinds.sort()).toEqual([...EVENT_KINDS].sort())
  })
})
