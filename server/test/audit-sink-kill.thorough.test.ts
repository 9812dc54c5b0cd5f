// Workers are killed repeatedly while they send events to an audit sink that fails often: every event arrives, in the
// order of its log. The operator sees the sink's progress, and can resend events.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startHttpReceiver } from './audit-sinks.ts'
import { until } from './patience.ts'
import { createDatabase, makeDataDirectory, runProgram, type Service, startService } from './service.ts'

const ORG = 'demo-org'
const KILLS = 15
const FLOWS_PER_ROUND = 30
const MAX_PAUSE_MS = 1_500
const UNSENT = `select from log_heads h left join audit_sink_cursors c on c.org_id = h.org_id
  where c.sink is null or (c.epoch, c.next_seq) < (h.epoch, h.size)`

it('receives every event although the workers are killed repeatedly', async () => {
  const receiver = await startHttpReceiver()
  const { url, owner } = await createDatabase()
  const sink = { name: 'hook', kind: 'webhook', url: receiver.url }
  const env = { DATABASE_URL: url, WAYBILL_AUDIT_SINKS: JSON.stringify([sink]), WAYBILL_LOG_LEVEL: 'silent' }
  const data_dir = makeDataDirectory()
  const service = await startService({ data_dir, env: { ...env, WAYBILL_ROLE: 'serve' } })
  /** As if a minute had passed: the claim of a killed worker and the pause after a failure have ended. */
  const endPauses = () => owner.query('update audit_sink_cursors set not_before = now()')
  for (let kill = 0; kill < KILLS; kill++) {
    await createFlows(service, kill)
    receiver.answers = [{ status: 500 }, { status: 200 }, { status: 500 }]
    const worker = await startService({ data_dir, env: { ...env, WAYBILL_ROLE: 'work' } })
    await endPauses()
    await sleep(Math.random() * MAX_PAUSE_MS)
    worker.signal('SIGKILL')
    await worker.ended
  }
  receiver.answers = []
  await startService({ data_dir, env: { ...env, WAYBILL_ROLE: 'work' } })
  const run = (...args: string[]) => runProgram(['admin', 'audit-sinks', ...args], { data_dir, env })
  const isAllSent = async () => {
    await endPauses()
    const { rows } = await owner.query(UNSENT)
    return rows.length === 0
  }
  await until(isAllSent)
  const { rows } = await owner.query(
    `select l.seq::int from log_leaves l join orgs o using (org_id) where o.name = $1 order by l.seq`,
    [ORG],
  )
  const logged: number[] = rows.map(({ seq }) => seq)
  // The service itself may record an event at any time, so that a list may briefly show one as unsent.
  const listKnown = () => listNumbers(receiver.requests).filter(number => number < logged.length)
  expect(listKnown()).toEqual(logged)

  receiver.requests.length = 0
  expect((await run('replay', 'hook', ORG, '--from', '2')).stdout).toContain('from 2 on')
  await until(isAllSent)
  expect(listKnown()).toEqual(logged.slice(2))
  expect((await run('replay', 'other', ORG, '--from', '2')).stderr).toContain('There is no sink other')
  expect((await run('replay', 'hook', ORG, '--from', 'x')).stderr).toContain('is not the number of an event')
  const saysAllSent = new RegExp(`^hook +${ORG} +all sent$`, 'm')
  await until(async () => (await isAllSent()) && saysAllSent.test((await run('list')).stdout))
})

async function createFlows({ call, key }: Service, round: number): Promise<void> {
  for (let i = 0; i < FLOWS_PER_ROUND; i++) {
    const body = { name: `flow-${round}-${i}`, description: '' }
    const { status, text } = await call('PUT', `/api/v2/flows/${ORG}`, { key, body })
    if (status >= 300) throw new Error(text)
  }
}

/** Event numbers in the order of first arrival. Each batch must continue or repeat the previous ones. */
function listNumbers(requests: readonly { body: string }[]): number[] {
  const numbers: number[] = []
  for (const { body } of requests) {
    for (const line of body.split('\n').filter(Boolean)) {
      const { org, log } = JSON.parse(line)
      if (org === ORG && !numbers.includes(log.number)) numbers.push(log.number)
    }
  }
  return numbers
}
