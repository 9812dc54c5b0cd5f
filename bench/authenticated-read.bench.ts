// Reading a flow with a key, against an answer that needs neither: what authentication, validation, row-level security,
// the query and printing the JSON cost together.
import { ORG, startService } from './bench-service.ts'
import { drive, request } from './http-load.ts'
import { printRatio, title } from './report.ts'
import { FLOW, TRAILS_PATH, trailBody } from './sample-trail.ts'

const ROUNDS = 5
const WARM_UP_MS = 2_000
const PHASE_MS = 2_000

const service = await startService()
try {
  const { port, key } = service
  await service.put(`/flows/${ORG}`, { name: FLOW, description: 'Measured', template: ['unit-tests'] })
  await service.put(TRAILS_PATH.replace('/api/v2', ''), JSON.parse(trailBody('first')))
  const phase = (path: string, used_key: string | undefined, clients: number) => (duration_ms: number) => {
    const text = request('GET', path, used_key, '')
    return drive({ port, clients, next: () => text, status: 200, duration_ms })
  }
  const phases = {
    empty: phase('/healthz', undefined, 16),
    caller: phase('/api/v2/user/default-org', key, 16),
    flow: phase(`/api/v2/flows/${ORG}/${FLOW}`, key, 16),
  }
  for (const run of Object.values(phases)) await run(WARM_UP_MS)
  const rates: Record<keyof typeof phases, number[]> = { empty: [], caller: [], flow: [] }
  for (let round = 0; round < ROUNDS; round++) {
    rates.empty.push((await phases.empty(PHASE_MS)).per_second)
    rates.caller.push((await phases.caller(PHASE_MS)).per_second)
    rates.flow.push((await phases.flow(PHASE_MS)).per_second)
  }
  title(`Authenticated reads: 16 clients, ${ROUNDS} rounds`)
  printRatio('GET flow / GET healthz', rates.flow, rates.empty, { at_least: 0.4 })
  printRatio('GET default org (a key, no query) / GET healthz', rates.caller, rates.empty)
} finally {
  await service.stop()
}
