// Attests one build of a trail that has thousands, compared with one of a trail that has a single build.
import { type BenchService, ORG, startService } from './bench-service.ts'
import { measureCpu } from './cpu-time.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { computeMedian, print, printTitle } from './report.ts'
import { buildFingerprint, listNumbers } from './sample-report.ts'

const FLOW = 'large'
const BUILDS = 3_000
const ROUNDS = 7
const PHASE_MS = 1_500
const TOGETHER = 50

const service = await startService()
try {
  await service.put(`/flows/${ORG}`, { name: FLOW, description: 'Measured', template: [] })
  await reportBuilds('one', 1)
  await reportBuilds('many', BUILDS)
  const costs: Record<string, number[]> = { one: [], many: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const trail of ['one', 'many']) {
      const cost = await measureAttest(service, trail)
      // The first round warms up.
      if (round > 0) costs[trail]?.push(cost)
    }
  }
  const [one, many] = [computeMedian(costs.one ?? []), computeMedian(costs.many ?? [])]
  printTitle(`Attest a build of a trail with ${BUILDS} builds, one client`)
  print({ name: 'processor time, trail with one build', value: one, unit: 'µs' })
  print({ name: `processor time, trail with ${BUILDS} builds`, value: many, unit: 'µs' })
  print({
    name: `attest: ${BUILDS} builds / one build, processor time`,
    value: many / one,
    aim: { at_most: 2 },
  })
} finally {
  await service.stop()
}

async function reportBuilds(trail: string, builds: number): Promise<void> {
  for (let from = 0; from < builds; from += TOGETHER) {
    const numbers = listNumbers(from, Math.min(TOGETHER, builds - from))
    await Promise.all(
      numbers.map(n =>
        service.post(`/artifacts/${ORG}/${FLOW}`, {
          trail_name: trail,
          template_reference_name: `service-${n}`,
          fingerprint: buildFingerprint(n),
          filename: `service-${n}`,
          git_commit: '1'.repeat(40),
          build_url: 'https://ci.example.com/1',
          commit_url: 'https://git.example.com/1',
        }),
      ),
    )
  }
}

/** Processor time of the service and its database, per request. */
async function measureAttest({ port, key, pid, data_dir }: BenchService, trail: string): Promise<number> {
  const path = `/api/v2/attestations/${ORG}/${FLOW}/trail/${trail}/generic`
  const body = JSON.stringify({
    attestation_name: 'unit',
    is_compliant: true,
    artifact_fingerprint: buildFingerprint(0),
  })
  const { result, cpu } = await measureCpu({ pids: [pid], data_dir }, () =>
    runLoad({
      port,
      clients: 1,
      next: () => formatRequest('POST', path, key, body),
      status: 201,
      duration_ms: PHASE_MS,
    }),
  )
  return (cpu.service_us + cpu.database_us) / result.requests
}
