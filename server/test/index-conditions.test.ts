// Reads conditions as PostgreSQL shows them in a plan.
import { describe, expect, it } from 'vitest'
import { computesValue, splitConditions } from './index-conditions.ts'

describe('the conditions of an index', () => {
  it.each([
    ['(a.x = 1)', ['a.x = 1']],
    ['((a.x = $1) AND (a.y = (b.z + 1)))', ['a.x = $1', 'a.y = (b.z + 1)']],
    ["((a.x = ') AND ('::text) AND (a.y > b.z))", ["a.x = ''::text", 'a.y > b.z']],
    ['', []],
  ])('in %s are %j', (shown, conditions) => {
    expect(splitConditions(shown)).toEqual(conditions)
  })
})

describe('a value that is looked up', () => {
  it.each([
    'f.snapshot_index = (s.snapshot_index + 1)',
    'x.artifact_id = (requested.id)::uuid',
    "x.flow_id = (split_part(wanted.id, ''::text, 1))::uuid",
    "w.to_index >= (y.snapshot_index + ((y.type <> ''::text))::integer)",
    'r.environment_id = ANY ((ARRAY[wanted.environment_id] || (InitPlan 3).col1))',
    't.flow_id = flow_named($1, wanted.name)',
    't.n = COALESCE(o.n, 1)',
    't.id = ((InitPlan 1).col1)::uuid',
    "s.n = CASE WHEN (e.n IS NULL) THEN NULL::integer ELSE ((e.data ->> ''::text))::integer END",
  ])('is computed in %s', condition => {
    expect(computesValue(condition)).toBe(true)
  })

  it.each([
    'f.snapshot_index > s.snapshot_index',
    'x.artifact_id = (InitPlan 1).col1',
    'x.artifact_id = ANY ($2)',
    'x.artifact_id = ANY (o.ids)',
    'f.flow_id = (r.flow_ids)[1]',
    'r.environment_id = ANY (ARRAY[a.id, b.id])',
    't.flow_id = flow_named($1, $4)',
    's.snapshot_index = ($3 - 1)',
    "x.org_id = (NULLIF(current_setting(''::text, true), ''::text))::uuid",
    'p.number = CASE WHEN ($3 > 0) THEN $3 ELSE (InitPlan 3).col1 END',
    'x.flow_id = (COALESCE((InitPlan 1).col1, (InitPlan 2).col1))',
    'c.identifier = (w.control)::text',
    'x.artifact_key = ((exited.key)::text)',
    'f.snapshot_index = ((s.snapshot_index + 1))',
    'ROW(o.org_id, o.queue_id) > ROW(w.org_id, w.queue_id)',
  ])('is known before in %s', condition => {
    expect(computesValue(condition)).toBe(false)
  })
})
