// Reading a flow with a key: against an answer that needs neither key nor database, and against the same prepared
// statement in a bare loop over `pg`. Once with everybody reading the same flow, where identical reads share an answer,
// and once with each request for another flow, where every one pays for its own.
import { findFlow } from '../server/src/api/flows/store.ts'
import { openBareLoop } from './bare-loop.ts'
import { ORG, startService } from './bench-service.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { printRatio, printTitle } from './report.ts'
import { type Phase, takeTurns } from './rounds.ts'
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
    ask: (listener, org_id) => findFlow(listener, org_id, FLOW),
    fresh: () => ({}),
  })
  const makePhase = (paths: string[], used_key: string | undefined): Phase => {
    const texts = paths.map(path => formatRequest('GET', path, used_key, ''))
    let turn = 0
    const next = () => texts[turn++ % texts.length] ?? ''
    return duration_ms => runLoad({ port, clients: CLIENTS, next, status: 200, duration_ms })
  }
  const flow = `/api/v2/flows/${ORG}/${FLOW}`
  const rates = await takeTurns(
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
  printRatio('GET flow, every request another one / GET healthz', rates.flows, rates.empty)
  printRatio('GET default org (a key, no query) / GET healthz', rates.caller, rates.empty)
  printRatio(
    'GET flow, every request another one / bare pg, BEGIN … COMMIT pipelined',
    rates.flows,
    rates.bare,
  )
  printRatio('bare pg alone / GET healthz', rates.bare, rates.empty)
} finally {
  await service.stop()
}
