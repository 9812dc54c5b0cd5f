// Look-ups by key and first pages of lists, with one client, in a growing organization. They must not take longer
// when it is larger. `BENCH_SIZES=10000,1000000` sets the numbers of attestations.
import { ORG, startService } from './bench-service.ts'
import { measureCpu } from './cpu-time.ts'
import { fillOrg } from './fill-org.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { print, printTitle } from './report.ts'

const SIZES = (process.env.BENCH_SIZES ?? '10000,100000,500000').split(',').map(Number)
const PHASE_MS = 1_500
const WARM_UP_MS = 500

const pad = (n: number) => n.toString(16).padStart(64, '0')
const sha = (n: number) => n.toString(16).padStart(40, '0')
const LOOKUPS: Record<string, { path(size: number): string; aim_ms: number }> = {
  'artifact by fingerprint': {
    path: n => `/artifacts/${ORG}/flow-7/fingerprint/${pad(n / 2 + 7)}`,
    aim_ms: 3,
  },
  'artifacts by commit': { path: n => `/artifacts/${ORG}/flow-7/commit_sha/${sha(n / 2 + 7)}`, aim_ms: 10 },
  'artifacts, first page': { path: () => `/artifacts/${ORG}`, aim_ms: 10 },
  'attestations, first page': { path: () => `/attestations/${ORG}`, aim_ms: 10 },
  'trail by name': { path: n => `/trails/${ORG}/flow-7/trail-${n / 2 + 7}`, aim_ms: 3 },
  'flows, with one that has no events': { path: () => `/flows/${ORG}`, aim_ms: 15 },
}

const service = await startService()
try {
  await service.put(`/flows/${ORG}`, { name: 'flow-0', description: '' })
  let filled = 0
  for (const size of SIZES) {
    await fillOrg(service, filled, size)
    filled = size
    printTitle(`One client, ${size} attestations in the organization: milliseconds for each request`)
    for (const [name, { path, aim_ms }] of Object.entries(LOOKUPS)) {
      const text = formatRequest('GET', `/api/v2${path(size)}`, service.key, '')
      const load = { port: service.port, clients: 1, next: () => text, status: 200 }
      await runLoad({ ...load, duration_ms: WARM_UP_MS })
      const { result, cpu } = await measureCpu({ pids: [service.pid], data_dir: service.data_dir }, () =>
        runLoad({ ...load, duration_ms: PHASE_MS }),
      )
      print({ name, value: 1000 / result.per_second, unit: 'ms', aim: { at_most: aim_ms } })
      const { service_us, database_us } = cpu
      print({ name: `${name}: CPU of the service`, value: service_us / result.requests / 1000, unit: 'ms' })
      print({ name: `${name}: CPU of PostgreSQL`, value: database_us / result.requests / 1000, unit: 'ms' })
    }
  }
} finally {
  await service.stop()
}
