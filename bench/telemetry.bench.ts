// The cost of OpenTelemetry: reads with an API key at a service without it, at one that exports every trace, and at
// one that exports one in a hundred, alternating. The collector is this process and discards everything, on the same
// cores.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { printNote, printRatio, printTitle } from './report.ts'
import { type Phase, runInTurns } from './rounds.ts'
import { FLOW } from './sample-trail.ts'

const CLIENTS = 16
const FLOWS = 64
const TURNS = { rounds: 9, warm_up_ms: 1_500, phase_ms: 800 }

let received_bytes = 0
const collector = createServer((request, response) => {
  request.on('data', chunk => {
    received_bytes += chunk.length
  })
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
})
await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve))
const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
const services = {
  off: await startService(),
  all: await startService({ OTEL_EXPORTER_OTLP_ENDPOINT }),
  some: await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  }),
}
try {
  const rates = await runInTurns(
    {
      off: await makePhase(services.off),
      all: await makePhase(services.all),
      some: await makePhase(services.some),
      off_again: await makePhase(services.off),
    },
    TURNS,
  )
  printTitle(`OpenTelemetry, a different flow each time: ${CLIENTS} clients, ${TURNS.rounds} rounds`)
  printRatio('every trace exported / off', rates.all, rates.off, { at_least: 0.5 })
  printRatio('one trace in a hundred exported / off', rates.some, rates.off, { at_least: 0.85 })
  printRatio('off / off, for comparison', rates.off_again, rates.off)
  const items = await services.all.readCounterTotal('waybill_telemetry_items_total')
  printNote(
    `${Math.round(received_bytes / 1024 / 1024)} MiB received, about ${Math.round(items / 1000)} thousand spans and lines offered`,
  )
} finally {
  for (const service of Object.values(services)) await service.stop()
  collector.closeAllConnections()
  collector.close()
}

async function makePhase({ port, key, put }: BenchService): Promise<Phase> {
  const names = Array.from({ length: FLOWS }, (_, i) => `${FLOW}-${i}`)
  for (const name of names)
    await put(`/flows/${ORG}`, { name, description: 'Measured', template: ['unit-tests'] })
  const texts = names.map(name => formatRequest('GET', `/api/v2/flows/${ORG}/${name}`, key, ''))
  let turn = 0
  const next = () => texts[turn++ % texts.length] ?? ''
  return duration_ms => runLoad({ port, clients: CLIENTS, next, status: 200, duration_ms })
}
