// Random sequences of delivery events, different in every run: successes, failures, expired leases, results that arrive
// late or out of order, targets that are replaced meanwhile. After every step the records match a small model.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStep, type Step } from '../src/db/database.ts'
import { declaredStatements } from '../src/db/statement.ts'
import '../src/delivery/outbox.ts'
import '../src/delivery/settle-store.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { CONFIG_TYPE, newId } from './jobs.ts'
import { chooseRepetitions } from './repetitions.ts'

const SEQUENCES = chooseRepetitions(300, 10_000)
const AT_ONCE = 8
const BATCH_SIZE = 500
const LEASE_S = 60
const RETRY_S = 5
const START_MS = Date.UTC(2026, 2, 3, 12, 0, 0)

type Op =
  /** A message to one of the targets, or to a derived recipient when there are none. */
  | { op: 'send'; to: number }
  /** A worker claims all due jobs, including those whose lease expired. */
  | { op: 'claim' }
  /** A worker that claimed a job, now or long ago, records a result from some seconds ago. */
  | { op: 'result'; of: number; result: 'ok' | 'fails' | 'fails for good'; ago_s: number }
  | { op: 'wait'; seconds: number }
  | { op: 'reconfigure'; targets: number }
  | { op: 'delete' }

const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('send' as const), to: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.constant({ op: 'claim' as const }) },
  {
    weight: 7,
    arbitrary: fc.record({
      op: fc.constant('result' as const),
      of: fc.nat(5),
      result: fc.constantFrom('ok', 'fails', 'fails for good'),
      ago_s: fc.constantFrom(0, 0, 0, 1, 3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('wait' as const), seconds: fc.constantFrom(1, 2, 6, 61) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('reconfigure' as const),
      targets: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ op: 'delete' as const }) },
)
/** Every sequence starts with a message in flight; random ones would mostly get there late. */
const sequence = fc
  .array(op, { minLength: 3, maxLength: 10, size: 'max' })
  .map((ops): Op[] => [{ op: 'send', to: 0 }, { op: 'claim' }, ...ops])

interface ModelJob {
  job_id: string
  target_id: string | null
  due_s: number
  lease_no: number
  attempts: number
  is_leased: boolean
  is_finished: boolean
}

interface Result {
  target_id: string | null
  at_s: number
  error: string | null
}

/** The status of a target or of the configuration. */
interface Shown {
  ok_at: number | null
  failed_at: number | null
  error: string | null
  is_failing: boolean
}

/** From all results that count: the latest by time and, of two at the same time, the one recorded last. */
function computeShown(results: readonly Result[]): Shown {
  const inOrder = results.toSorted((a, b) => a.at_s - b.at_s)
  const ok = inOrder.findLast(({ error }) => error === null)
  const failed = inOrder.findLast(({ error }) => error !== null)
  return {
    ok_at: ok?.at_s ?? null,
    failed_at: failed?.at_s ?? null,
    error: failed?.error ?? null,
    is_failing: failed !== undefined && inOrder.at(-1) === failed,
  }
}

interface Model {
  org_id: string
  now_s: number
  jobs: ModelJob[]
  claimed: { job: ModelJob; lease_no: number }[]
  live: string[]
  all_targets: string[]
  counted: Result[]
}

/** A statement to run and, where they matter, the rows that it must return. */
interface Check {
  step: Step
  rows?: unknown[]
  op: Op
}

let app: TestApp
let orgs: string[]
beforeAll(async () => {
  app = await startTestApp()
  orgs = Array.from({ length: SEQUENCES }, newId)
  await app.sql(
    `insert into orgs (org_id, name, kind, created_at) select o, 'org-' || o, 'shared', now() from unnest($1::uuid[]) o`,
    [orgs],
  )
  await app.sql(
    'insert into notification_configs (org_id, notification_type) select o, $2 from unnest($1::uuid[]) o',
    [orgs, CONFIG_TYPE],
  )
})
afterAll(() => app.stop())

it('delivery records match the model after every step of every sequence', async () => {
  const seed = Math.trunc(performance.timeOrigin) % 2 ** 31
  const sequences = [...fc.sample(sequence, { seed, numRuns: SEQUENCES }).entries()]
  const tally = { results: 0, late: 0 }
  while (sequences.length > 0) {
    const portion = sequences.splice(0, BATCH_SIZE)
    const walk = async () => {
      for (let next = portion.pop(); next; next = portion.pop()) await runSequence(seed, ...next, tally)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, walk))
    // A claim for one org has to skip the index entries of all the others.
    await app.sql('vacuum outbox')
  }
  expect(tally.results).toBeGreaterThan(2 * SEQUENCES)
  expect(tally.late).toBeGreaterThan(SEQUENCES / 20)
})

async function runSequence(seed: number, index: number, ops: readonly Op[], tally: Tally): Promise<void> {
  const org_id = orgs[index] as string
  const checks = buildChecks(org_id, ops, tally)
  const answers = await app.db.runBatch({ org_id }, [
    ...checks.map(check => check.step),
    makeOutboxRemoval(org_id),
  ])
  for (const [at, { op, rows }] of checks.entries()) {
    if (rows === undefined || JSON.stringify(answers[at]) === JSON.stringify(rows)) continue
    const context = { seed, index, ops, op }
    expect({ ...context, rows: answers[at] }).toEqual({ ...context, rows })
  }
}

interface Tally {
  results: number
  /** Results that arrived too late to count. */
  late: number
}

function buildChecks(org_id: string, ops: readonly Op[], tally: Tally): Check[] {
  const model: Model = { org_id, now_s: 0, jobs: [], claimed: [], live: [], all_targets: [], counted: [] }
  const checks: Check[] = []
  for (const each of [{ op: 'reconfigure', targets: 2 } as const, ...ops]) {
    const made = APPLY[each.op](model, each as never)
    checks.push(...made.map(check => ({ ...check, op: each })))
    // A message in flight shows only in its result.
    if (made.length === 0 || each.op === 'send' || each.op === 'claim') continue
    checks.push({ ...buildLook(model), op: each })
    if (each.op === 'result') tally.results += 1
    if (JSON.stringify(made[0]?.rows ?? []).includes('"is_counted":false')) tally.late += 1
  }
  return checks
}

type StepChecks = Omit<Check, 'op'>[]
type Of<K> = Extract<Op, { op: K }>

const APPLY: { [K in Op['op']]: (model: Model, op: Of<K>) => StepChecks } = {
  send: (model, { to }) => {
    const target_id = model.live[to % Math.max(model.live.length, 1)] ?? null
    const job_id = newId()
    model.jobs.push({
      job_id,
      target_id,
      due_s: model.now_s,
      lease_no: 0,
      attempts: 0,
      is_leased: false,
      is_finished: false,
    })
    const delivery = {
      job_id,
      target_id,
      event_type: 'API_KEY_EXPIRY',
      notification_id: null,
      notification_type: CONFIG_TYPE,
      payload: {},
    }
    const deliveries = JSON.stringify([delivery])
    const params = { org_id: model.org_id, deliveries, kind: 'delivery', now: toDate(model.now_s) }
    return [{ step: makeDeclaredStep('outbox.put_deliveries', params), rows: [] }]
  },
  claim: model => {
    const due = model.jobs.filter(job => !job.is_finished && job.due_s <= model.now_s)
    for (const job of due) {
      job.lease_no += 1
      job.is_leased = true
      job.attempts += 1
      job.due_s = model.now_s + LEASE_S
      model.claimed.push({ job, lease_no: job.lease_no })
    }
    const limits = {
      limit: 100,
      max_per_sponsor: 100,
      busy: {},
      busy_orgs: {},
      max_per_target: 100,
      busy_targets: {},
    }
    const lease_until = toDate(model.now_s + LEASE_S)
    const times = { now: toDate(model.now_s), lease_until, probe_until: lease_until }
    return [{ step: makeDeclaredStep('outbox.claim', { ...limits, ...times }) }]
  },
  result: (model, { of, result, ago_s }) => {
    const held = model.claimed.toReversed()[of % Math.max(model.claimed.length, 1)]
    if (!held) return []
    const { job } = held
    const at_s = model.now_s - ago_s
    const error =
      result === 'ok' ? null : `failed under ${held.lease_no} at ${model.now_s}, ${model.counted.length}`
    const due_s = result === 'fails' ? model.now_s + RETRY_S : null
    const is_counted = job.is_leased && job.lease_no === held.lease_no
    if (is_counted) {
      job.is_leased = false
      job.is_finished = due_s === null
      job.due_s = due_s ?? job.due_s
      model.counted.push({ target_id: job.target_id, at_s, error })
    }
    const { org_id } = model
    const params = {
      ...{
        org_id,
        job_id: job.job_id,
        lease_no: held.lease_no,
        attempts: job.attempts,
        now: toDate(at_s),
        error,
      },
      ...{
        due_at: due_s === null ? null : toDate(due_s),
        forgets_payload: false,
        counts: true,
        duration_ms: 1,
      },
      ...{ status: null, answer: null, is_reached: error === null },
      ...{ switches_off: false, failing_too_long: toDate(at_s - 5 * 86_400) },
    }
    const settled = { is_counted, is_switched_off: false, is_resumed: false }
    return [{ step: makeDeclaredStep('outbox.settle', params), rows: [settled] }]
  },
  wait: (model, { seconds }) => {
    model.now_s += seconds
    return []
  },
  reconfigure: (model, { targets }) => {
    model.live = Array.from({ length: targets }, newId)
    model.all_targets.push(...model.live)
    return [
      { step: makeTargetRemoval(model), rows: [] },
      {
        step: makeRawStep(
          'test.add_targets',
          `insert into notification_targets (org_id, target_id, notification_type, position, type, emails, created_at)
           select $1, t, $2, n, 'EMAIL', '{a@acme.example}', $3
           from unnest(string_to_array($4, ',')::uuid[]) with ordinality as added(t, n)`,
          [model.org_id, CONFIG_TYPE, toDate(model.now_s), model.live.join(',')],
        ),
        rows: [],
      },
    ]
  },
  delete: model => {
    model.live = []
    return [{ step: makeTargetRemoval(model), rows: [] }]
  },
}

/** Everything observable, with the values that the model expects. */
function buildLook(model: Model): { step: Step; rows: unknown[] } {
  const config = computeShown(model.counted)
  const isShown = config.failed_at !== null && (config.ok_at === null || config.failed_at > config.ok_at)
  const targets = model.all_targets.map(target_id => {
    const shown = computeShown(model.counted.filter(result => result.target_id === target_id))
    return [shown.ok_at, shown.failed_at, shown.error, shown.is_failing]
  })
  const failure = isShown ? [config.failed_at, config.error] : null
  const leases = model.jobs.map(({ lease_no, attempts, is_finished }) => [lease_no, attempts, is_finished])
  const seen = { notified: config.ok_at, failure, targets, leases, attempts: model.counted.length }
  return { step: makeRawStep('test.look', LOOK, [model.org_id, toDate(0)]), rows: [seen] }
}

const LOOK = `
  select extract(epoch from c.last_notified_at - $2)::int as notified,
    case when c.last_failed_at > coalesce(c.last_notified_at, '-infinity')
      then jsonb_build_array(extract(epoch from c.last_failed_at - $2)::int, c.last_error) end as failure,
    (select coalesce(jsonb_agg(jsonb_build_array(extract(epoch from t.last_success_at - $2)::int,
        extract(epoch from t.last_failure_at - $2)::int, t.last_error, t.failing_since is not null)
        order by t.target_id), '[]')
      from notification_targets t where t.org_id = $1) as targets,
    (select coalesce(jsonb_agg(jsonb_build_array(o.lease_no, o.attempts, o.finished_at is not null) order by o.job_id), '[]')
      from outbox o where o.org_id = $1) as leases,
    (select count(*)::int from delivery_attempts a where a.org_id = $1) as attempts
  from notification_configs c where c.org_id = $1`

function makeDeclaredStep(name: string, params: Record<string, unknown>): Step {
  const found = declaredStatements.find(statement => statement.name === name)
  if (!found) throw new Error(`no statement ${name}`)
  return makeStep(found, params)
}

function makeRawStep(name: string, text: string, values: unknown[]): Step {
  return { name, text, values }
}

function makeTargetRemoval({ org_id, now_s }: Model): Step {
  const text = 'update notification_targets set removed_at = $2 where org_id = $1 and removed_at is null'
  return makeRawStep('test.remove_targets', text, [org_id, toDate(now_s)])
}

/** Spares the claims of other orgs from skipping the rows of this sequence. */
function makeOutboxRemoval(org_id: string): Step {
  return makeRawStep('test.removal', 'delete from outbox where org_id = $1', [org_id])
}

function toDate(seconds: number): Date {
  return new Date(START_MS + seconds * 1000)
}
