// Reads a flow with an API key, compared with a request that needs neither key nor database, and with the same prepared
// statement in a bare loop over `pg`. Once all clients read the same flow, so that identical reads share a query; once
// every request reads a different flow, so that each needs its own.
import { findFlow } from '../server/src/api/flows/store.ts'
import { openBareLoop } from './bare-loop.ts'
import { ORG, startService } from './bench-service.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { printRatio, printTitle } from './report.ts'
import { type Phase, runInTurns } from './rounds.ts'
import { buildTrailBody, FLOW, TRAILS_PATH } from './sample-trail.ts'

const CLIENTS = 16
const FLOWS = 64
const TURNS = { rounds: 9, warm_up_ms: 1_500, phase_ms: 800 }

const service = await startService()
try {
  const { port, key } = service
  await service.put(`/flows/${ORG}`, { name: FLOW, description: 'Measured', template: ['unit-tests'] })
  for (let i = 0; i < FLOWS; i++) {
    await service.put(`/flows/${ORG}`, {
      name: `${FLOW}-${i}`,
      description: 'Measured',
      template: ['unit-tests'],
    })
  }
  await service.put(TRAILS_PATH.replace('/api/v2', ''), JSON.parse(buildTrailBody('first')))
  const loop = await openBareLoop(service, {
    call: (recorder, org_id) => findFlow(recorder, org_id, FLOW),
    makeParams: () => ({}),
  })
  const makePhase = (paths: string[], used_key: string | undefined): Phase => {
    const texts = paths.map(path => formatRequest('GET', path, used_key, ''))
    let turn = 0
    const next = () => texts[turn++ % texts.length] ?? ''
    return duration_ms => runLoad({ port, clients: CLIENTS, next, status: 200, duration_ms })
  }
  const flow = `/api/v2/flows/${ORG}/${FLOW}`
  const rates = await runInTurns(
    {
      empty: makePhase(['/healthz'], undefined),
      caller: makePhase(['/api/v2/user/default-org'], key),
      flow: makePhase([flow], key),
      flows: makePhase(
        Array.from({ length: FLOWS }, (_, i) => `${flow}-${i}`),
        key,
      ),
      bare: loop.transaction,
    },
    TURNS,
  )
  await loop.end()
  printTitle(`Authenticated reads: ${CLIENTS} clients, ${TURNS.rounds} rounds`)
  printRatio('GET flow / GET healthz', rates.flow, rates.empty, { at_least: 0.4 })
  printRatio('GET flow, a different one each time / GET healthz', rates.flows, rates.empty)
  printRatio('GET default org (a key, no query) / GET healthz', rates.caller, rates.empty)
  printRatio(
    'GET flow, a different one each time / bare pg, BEGIN … COMMIT pipelined',
    rates.flows,
    rates.bare,
  )
  printRatio('bare pg alone / GET healthz', rates.bare, rates.empty)
} finally {
  await service.stop()
}
