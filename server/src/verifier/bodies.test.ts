import { describe, expect, it } from 'vitest'
import { hashBody } from '../domain/log/commit.ts'
import { checkBody } from './bodies.ts'
import { makeFindings } from './findings.ts'

const SALT = Buffer.alloc(32, 7)

function check(leaf_kind: string, body_kind: string) {
  const body = JSON.stringify({
    kind: body_kind,
    happened_at: '2026-03-03T12:00:00.000Z',
    actor: 'ada',
    data: {},
  })
  const leaf = { index: 4, at_ms: 0, kind: leaf_kind, event: 'e', body_hash: hashBody(SALT, body), about: [] }
  const findings = makeFindings()
  const checked = checkBody(leaf, { index: 4, salt: SALT.toString('base64'), body }, findings)
  return { kind: checked?.kind, problems: findings.list().map(({ text }) => text) }
}

describe('the body of a leaf', () => {
  it('is of the kind of its leaf', () => {
    expect(check('flow_created', 'flow_created')).toEqual({ kind: 'flow_created', problems: [] })
    expect(check('flow_created', 'flow_archived')).toEqual({
      kind: undefined,
      problems: ['leaf 4 is of the kind flow_created, and its body is not'],
    })
  })

  it('has its own kind if it is of an event from before the log', () => {
    expect(check('history_imported', 'flow_created')).toEqual({ kind: 'flow_created', problems: [] })
  })
})
