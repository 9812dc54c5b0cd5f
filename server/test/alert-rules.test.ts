// The Prometheus alert rules: a process that only serves has their metrics, nothing fires while all is well, and each
// fault makes its rule fire. Prometheus is not involved: the comparisons are simple, and evaluated below. Rates are
// not: promtool tests them in `npm run check -- deploy`.
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../scripts/run/prepare.mjs'
import { systemClock } from '../src/lib/clock.ts'
import { readExportMetrics } from './export-metrics.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { loseLeaves } from './lost-leaves.ts'
import { publishLogs } from './publish-logs.ts'
import { askNow, type FakeWitness, startFakeWitness } from './witnesses.ts'

interface Rule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const readYaml = (file: string) => parse(readFileSync(join(root, 'deploy/prometheus', file), 'utf8'))
const [{ rules: STATES }, { rules: RATES }]: [{ rules: Rule[] }, { rules: Rule[] }] =
  readYaml('rules.yaml').groups
const RULES: Rule[] = [...STATES, ...RATES]
const UNIT_TESTS: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[] =
  readYaml('rules.test.yaml').tests
const OURS = STATES.filter(({ expr }) => expr.includes('waybill_'))
const EXPRESSION =
  /^(?:(?<aggregate>min|max)(?: by \((?<by>\w+)\) )?\()?(?<name>\w+)(?:\{(?<label>\w+)(?<match>!?=)"(?<wanted>\w+)"\})?\)? (?<operator>==|>|<) (?<limit>[\d.]+)$/

const SINK = { name: 'siem', kind: 'syslog', url: 'tls://127.0.0.1:6514' }

let app: TestApp
let witness: FakeWitness
beforeAll(async () => {
  witness = await startFakeWitness('auditor.example/w1')
  const policy = `witness auditor ${witness.vkey} ${witness.url}\nquorum auditor\n`
  const sinks = JSON.stringify([SINK])
  app = await startTestApp({ settings: { WAYBILL_LOG_POLICY: policy, WAYBILL_AUDIT_SINKS: sinks } })
  await publishLogs(app)
  await askNow(app, policy)
  await sendEverything()
  // The witness uses the machine's clock.
  app.clock.advance(systemClock.now().getTime() - app.clock.now().getTime())
})
afterAll(() => app.stop())

async function readSamples(): Promise<Sample[]> {
  const { body } = await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  return body
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })
}

function parseExpression(expr: string): Record<string, string | undefined> {
  const groups = EXPRESSION.exec(expr)?.groups
  if (!groups) throw new Error(`cannot be evaluated: ${expr}`)
  return groups
}

/**
 * With `by`, a rule fires if any group does; for the min or max of each group, that is the same as for any sample.
 */
function fires({ expr }: Rule, samples: readonly Sample[]): boolean {
  const { name, label = '', match, wanted, aggregate, by, operator, limit } = parseExpression(expr)
  const values = samples
    .filter(sample => sample.name === name)
    .filter(({ labels }) => match === undefined || (labels[label] === wanted) === (match === '='))
    .map(({ value }) => value)
    .filter(value => !Number.isNaN(value))
  const chosen =
    aggregate === undefined || by !== undefined || values.length === 0
      ? values
      : [aggregate === 'min' ? Math.min(...values) : Math.max(...values)]
  const compare = { '==': (a: number, b: number) => a === b, '>': isAbove, '<': isBelow }[operator ?? '']
  return chosen.some(value => compare?.(value, Number(limit)))
}

/** The sink has accepted all events: the template's events may be as old as the run. */
const sendEverything = () =>
  app.sql(
    `insert into audit_sink_cursors (org_id, sink, epoch, next_seq, not_before)
     select org_id, $1, epoch, size, now() from log_heads
     on conflict (org_id, sink) do update set epoch = excluded.epoch, next_seq = excluded.next_seq`,
    [SINK.name],
  )

const isAbove = (a: number, b: number) => a > b
const isBelow = (a: number, b: number) => a < b

async function listFiring(): Promise<string[]> {
  const samples = await readSamples()
  return OURS.filter(rule => fires(rule, samples)).map(({ alert }) => alert)
}

/** A disk of the test machine may be nearly full. */
const EVIDENCE_DISK = 'WaybillEvidenceDiskNearlyFull'

const listFaults = async () => (await listFiring()).filter(alert => alert !== EVIDENCE_DISK)

describe('every alert rule', () => {
  it.each(OURS.map(rule => [rule.alert, rule] as const))('%s names metrics that exist', async (_, rule) => {
    const { name, label, match, wanted } = parseExpression(rule.expr)
    const found = (await readSamples()).filter(sample => sample.name === name)
    expect(found).not.toEqual([])
    if (match === '=') expect(found.map(({ labels }) => labels[label ?? ''])).toContain(wanted)
  })

  it.each(RATES.map(rule => [rule.alert, rule] as const))(
    '%s takes the rate of metrics that exist',
    async (_, rule) => {
      const { body } = await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
      const names = [...rule.expr.matchAll(/\bwaybill_\w+/g)].map(([name]) => name.replace(/_count$/, ''))
      expect(names).not.toEqual([])
      const metrics = body + (await readExportMetrics())
      for (const name of names)
        expect(metrics).toMatch(new RegExp(`^# TYPE ${name} (counter|histogram)$`, 'm'))
    },
  )

  it('has a unit test for promtool in which it fires, and one in which it does not', () => {
    const tests = UNIT_TESTS.flatMap(({ alert_rule_test }) => alert_rule_test)
    const list = (isFiring: boolean) =>
      new Set(
        tests.filter(({ exp_alerts }) => exp_alerts.length > 0 === isFiring).map(test => test.alertname),
      )
    const alerts = RULES.map(({ alert }) => alert).sort()
    expect([...list(true)].sort()).toEqual(alerts)
    expect([...list(false)].sort()).toEqual(alerts)
  })

  it.each(RULES.map(rule => [rule.alert, rule] as const))(
    '%s waits, and describes the problem',
    (alert, rule) => {
      expect(alert).toMatch(/^Waybill[A-Z]\w+$/)
      expect(rule.for).toMatch(/^\d+m$/)
      expect(['critical', 'warning', 'info']).toContain(rule.labels.severity)
      expect(rule.annotations.summary).toMatch(/^[A-Z].*[a-z]$/)
      expect(rule.annotations.description).toMatch(/\.$/)
    },
  )
})

describe('a rule fires', () => {
  it('not while all is well', async () => {
    expect(await listFaults()).toEqual([])
  })

  it('when no worker is alive', async () => {
    const [worker] = await app.sql('select worker_id, seen_at from workers')
    await app.sql(`update workers set seen_at = now() - interval '31 s'`)
    expect(await listFaults()).toEqual(['WaybillNoWorker'])
    await app.sql('update workers set seen_at = $1', [worker?.seen_at])
    expect(await listFaults()).toEqual([])
  })

  it.each([
    ['mail', 301, ['WaybillOutboxBehind']],
    ['delivery', 301, ['WaybillOutboxBehind']],
    ['delivery', 299, []],
  ])('when %s jobs are late, by %d s: %j', async (kind, late_s, expected) => {
    await app.sql(
      `insert into outbox (org_id, job_id, kind, payload, created_at, due_at)
       select org_id, gen_random_uuid(), $1, '{}', $2, $2 from orgs where name = 'acme'`,
      [kind, new Date(app.clock.now().getTime() - late_s * 1000)],
    )
    expect(await listFaults()).toEqual(expected)
    await app.sql('delete from outbox')
  })

  it('when evaluations are late', async () => {
    await app.admin.put('/environments/acme', { name: 'prod', type: 'K8S', description: '' })
    await app.sql(
      `insert into pending_judgements (org_id, environment_id, cause, actor, marked_at)
       select org_id, environment_id, 'policies', 'ada', $1 from environments`,
      [new Date(app.clock.now().getTime() - 121_000)],
    )
    expect(await listFaults()).toEqual(['WaybillEvaluationBehind'])
    await app.sql('delete from pending_judgements')
  })

  it('when evidence cannot be stored', async () => {
    renameSync(app.evidence_dir, `${app.evidence_dir}.away`)
    expect(await listFaults()).toEqual(['WaybillNotReady', 'WaybillEvidenceUnusable'])
    renameSync(`${app.evidence_dir}.away`, app.evidence_dir)
    expect(await listFaults()).toEqual([])
  })

  it('when checkpoints do not reach the evidence store', async () => {
    await publishLogs(app)
    await app.admin.put('/flows/acme', { name: 'late', description: '' })
    const wait = (ms: number) =>
      app.sql(
        'update log_leaves set logged_ms = logged_ms + $1 where seq = (select max(seq) from log_leaves l)',
        [ms],
      )
    expect(await listFaults()).toEqual([])
    await wait(-121_000)
    expect(await listFaults()).toEqual(['WaybillLogUnpublished'])
    await wait(121_000)
  })

  it.each([
    ['fork', ['WaybillLogForked', 'WaybillWitnessUnusable']],
    ['unreachable', ['WaybillWitnessUnusable']],
  ])('when a witness does not cosign: %s', async (state, expected) => {
    await app.sql('update log_witnesses set state = $1', [state])
    expect(await listFaults()).toEqual(expected)
    await app.sql(`update log_witnesses set state = 'ok'`)
  })

  it('when a witness has cosigned nothing for two hours', async () => {
    await app.sql(`update log_witnesses set cosigned_at = cosigned_at - interval '2 hours 1 minute'`)
    expect(await listFaults()).toContain('WaybillWitnessSilent')
    await app.sql(`update log_witnesses set cosigned_at = cosigned_at + interval '2 hours 1 minute'`)
    expect(await listFaults()).not.toContain('WaybillWitnessSilent')
  })

  it('when an audit sink is behind', async () => {
    await app.sql('update audit_sink_cursors set epoch = 0, next_seq = 0')
    await app.sql('update log_leaves set logged_ms = logged_ms - 901000 where seq = 0')
    expect(await listFaults()).toEqual(['WaybillAuditSinkBehind'])
    await app.sql('update log_leaves set logged_ms = logged_ms + 901000 where seq = 0')
    await sendEverything()
    expect(await listFaults()).toEqual([])
  })

  it('when a target is paused, and its messages count as waiting but not as late', async () => {
    const made = await app.admin.put('/organizations/acme/environments_notifications', {
      name: 'all',
      environments: ['prod'],
      triggers: ['ON_STARTED_ARTIFACT'],
      targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/x' }],
    })
    expect(made.status).toBe(201)
    await app.sql(`insert into delivery_breakers (org_id, target_id, failures, pauses, paused_until, last_error)
      select org_id, target_id, 5, 1, now(), 'no answer' from notification_targets`)
    await app.sql(
      `insert into outbox (org_id, job_id, kind, payload, created_at, due_at, target_id)
       select org_id, gen_random_uuid(), 'delivery', '{}', $1, $1, target_id from notification_targets`,
      [new Date(app.clock.now().getTime() - 3_600_000)],
    )
    expect(await listFaults()).toEqual(['WaybillTargetsPaused'])
    const waiting = (await readSamples()).filter(({ name }) => name === 'waybill_backlog')
    expect(waiting.map(({ labels, value }) => [labels.queue, value])).toEqual([
      ['mail', 0],
      ['delivery', 1],
      ['evaluation', 0],
    ])
  })

  it('when a log has lost signed data', async () => {
    const [row] = await app.sql(`select org_id from orgs where name = 'acme'`)
    await publishLogs(app)
    await loseLeaves(app, String(row?.org_id), 1)
    expect((await app.reader.get('/log/acme/checkpoint')).status).toBe(503)
    expect(await listFaults()).toContain('WaybillLogFrozen')
  })

  it('when the evidence disk is nearly full', () => {
    const rule = RULES.find(({ alert }) => alert === EVIDENCE_DISK) as Rule
    const buildSample = (value: number) => [{ name: 'waybill_evidence_free_ratio', labels: {}, value }]
    expect([0.09, 0.1, 0.5, Number.NaN].map(free => fires(rule, buildSample(free)))).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})
