// A soak: a fleet under mixed load for a while, with one fault after another switched on and off. At the end, every
// acknowledged write must be stored, all waiting work must be done, and no response may have been wrong.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findDeliveryProblems, findInconsistencies, findLost, waitUntilDrained } from './checks.ts'
import { type Fault, makeFaults } from './faults.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Load, setUp, startLoad } from './load.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    clients: { type: 'string', default: '4' },
  },
})
const minutes = Number(values.minutes)
const clients = Number(values.clients)
if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error('--minutes must be between 0 and 1440')
if (!(clients >= 1 && clients <= 64)) throw new Error('--clients must be between 1 and 64')

const CALM_MS = 1_000
const LONGEST_FAULT_MS = 30_000
const SHOWN = 10

process.exitCode = await run()

async function run(): Promise<number> {
  const faults = makeFaults()
  const fleet = await startFleet()
  try {
    await untilReady(fleet)
    await setUp(fleet, clients)
    const load = startLoad(fleet, clients)
    const times = await runFaults(fleet, load, faults)
    await load.stop()
    console.log('The load has stopped; waiting for the backlog')
    return await report(fleet, load, times)
  } finally {
    await fleet.stop()
  }
}

/** Every fault at least once, however short the soak is. */
async function runFaults(fleet: Fleet, load: Load, faults: readonly Fault[]): Promise<Map<string, number>> {
  const ends_ms = performance.now() + minutes * 60_000
  const share_ms = (minutes * 60_000) / faults.length
  const fault_ms = Math.min(LONGEST_FAULT_MS, Math.max(1_000, share_ms - CALM_MS))
  const times = new Map<string, number>()
  for (let i = 0; i < faults.length || performance.now() < ends_ms; i++) {
    const fault = faults[i % faults.length] as Fault
    await sleep(CALM_MS)
    console.log(`${new Date().toISOString()} ${fault.name}`)
    load.setFault(fault.name)
    await fault.begin(fleet)
    await sleep(fault_ms)
    await fault.end(fleet)
    await untilReady(fleet)
    load.setFault('none')
    times.set(fault.name, (times.get(fault.name) ?? 0) + 1)
  }
  return times
}

async function untilReady({ balancer, serving }: Fleet): Promise<void> {
  while (balancer.ready.size < serving.length) await sleep(50)
}

async function report(fleet: Fleet, load: Load, times: ReadonlyMap<string, number>): Promise<number> {
  const waiting = await waitUntilDrained(fleet)
  const found = await findLost(fleet, load)
  const problems = [
    ...(waiting === undefined ? [] : [waiting]),
    ...found.flatMap(({ kind, lost }) => lost.map(name => `lost: ${kind} ${name}`)),
    ...load.wrong,
    ...(await findDeliveryProblems(fleet)),
    ...(await findInconsistencies(fleet)),
  ]
  console.log('\nAnswers by the fault that was on')
  console.table(
    Object.fromEntries(
      [...load.answers].map(([fault, counts]) => [
        fault,
        { times: times.get(fault) ?? '', ...Object.fromEntries([...counts].sort()) },
      ]),
    ),
  )
  console.log('Acknowledged writes')
  console.table(found.map(({ lost, ...rest }) => ({ ...rest, lost: lost.length })))
  for (const problem of problems.slice(0, SHOWN)) console.log(`PROBLEM ${problem}`)
  if (problems.length > SHOWN) console.log(`… and ${problems.length - SHOWN} more`)
  console.log(
    problems.length === 0 ? 'Nothing was lost, and every answer was true.' : `${problems.length} problems`,
  )
  return problems.length === 0 ? 0 : 1
}
