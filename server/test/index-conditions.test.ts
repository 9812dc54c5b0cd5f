// Parsing conditions as PostgreSQL shows them in a plan.
import { describe, expect, it } from 'vitest'
import { computesValue, listConditions, type PlanNode, splitConditions } from './index-conditions.ts'

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

describe('the conditions of a plan', () => {
  const indexes = [
    { table: 'snapshots', name: 'by_time', is_unique: false, columns: ['org_id', 'created_at'] },
    { table: 'snapshots', name: 'by_id', is_unique: true, columns: ['id'] },
  ]
  const scan: PlanNode = { Alias: 's', 'Relation Name': 'snapshots', 'Index Name': 'by_time' }
  const LATER = '(s.created_at >= COALESCE(o.at, $1))'

  it.each<[string, PlanNode, string[]]>([
    [
      'a filter that an index fits',
      { ...scan, 'Index Cond': '(s.org_id = $2)', Filter: LATER },
      ['s.org_id = $2', LATER.slice(1, -1)],
    ],
    ['no filter whose earlier columns are open', { ...scan, Filter: LATER }, []],
    [
      'no filter on a row found by its key',
      {
        ...scan,
        'Index Name': 'by_id',
        'Index Cond': '(s.id = $1)',
        Filter: `((s.org_id = $2) AND ${LATER})`,
      },
      ['s.id = $1'],
    ],
    [
      'no filter on a column without an index',
      { ...scan, 'Index Cond': '(s.org_id = $2)', Filter: '(s.cause = o.cause)' },
      ['s.org_id = $2'],
    ],
    [
      'a join that an index fits',
      { 'Join Filter': LATER, Plans: [{ ...scan, 'Index Cond': '(s.org_id = $2)' }] },
      [LATER.slice(1, -1), 's.org_id = $2'],
    ],
    [
      'a row that an index fits',
      { ...scan, Filter: '((s.org_id = $2) AND (ROW(s.created_at, s.id) > ROW(o.at, o.id)))' },
      ['s.org_id = $2', 'ROW(s.created_at, s.id) > ROW(o.at, o.id)'],
    ],
  ])('include %s', (_what, plan, conditions) => {
    expect(listConditions(plan, indexes)).toEqual(conditions)
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
