// How much the endless jq programs of one organization slow down another: the p99 of an attestation with a rule,
// alone and while another organization always has forty endless programs in progress.
import { ORG, startService } from './bench-service.ts'
import { computeMedian, print, printRatio, printTitle } from './report.ts'

const ENDLESS_PROGRAMS = 40
const ROUNDS = 5
const WARM_UP_MS = 3_000
const PHASE_MS = 6_000
const NOISY_ORG = 'noisy'

const service = await startService()
const call = (method: string, path: string, body: unknown) =>
  fetch(`http://127.0.0.1:${service.port}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const attest = (org: string) =>
  call('POST', `/attestations/${org}/ci/trail/run/custom`, {
    attestation_name: 'coverage',
    type_name: 'coverage',
    attestation_data: { coverage: 90 },
  })

try {
  await requireOk(call('POST', '/organizations', { name: NOISY_ORG }))
  await prepare(ORG, '.coverage >= 80')
  await prepare(NOISY_ORG, 'def f: f; f')
  await measure(WARM_UP_MS)
  printTitle(
    `An attestation with a jq rule, while another organization has ${ENDLESS_PROGRAMS} endless programs`,
  )
  const [alone, beside]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await measure(PHASE_MS))
    const stopNoise = startNoise()
    beside.push(await measure(PHASE_MS))
    await stopNoise()
  }
  print({ name: 'p99 alone', value: computeMedian(alone), unit: 'ms', spread: alone })
  print({ name: 'p99 beside them', value: computeMedian(beside), unit: 'ms', spread: beside })
  printRatio('p99 beside them / p99 alone', beside, alone, { at_most: 3 })
} finally {
  await service.stop()
}

async function prepare(org: string, rule: string): Promise<void> {
  await requireOk(call('PUT', `/flows/${org}`, { name: 'ci', description: '' }))
  await requireOk(call('PUT', `/trails/${org}/ci`, { name: 'run' }))
  const type = { name: 'coverage', evaluator: { content_type: 'jq', rules: [rule] } }
  await requireOk(call('POST', `/custom-attestation-types/${org}`, type))
}

/** Returns the p99 of consecutive attestations. */
async function measure(duration_ms: number): Promise<number> {
  const took_ms: number[] = []
  const ends_ms = performance.now() + duration_ms
  while (performance.now() < ends_ms) {
    const began_ms = performance.now()
    await requireOk(attest(ORG))
    took_ms.push(performance.now() - began_ms)
  }
  took_ms.sort((a, b) => a - b)
  return took_ms[Math.ceil(took_ms.length * 0.99) - 1] ?? Number.NaN
}

/** Retries rejected requests immediately, like a hostile organization would. */
function startNoise(): () => Promise<void> {
  let isOver = false
  const callers = Array.from({ length: ENDLESS_PROGRAMS }, async () => {
    while (!isOver) await (await attest(NOISY_ORG)).text()
  })
  return async () => {
    isOver = true
    await Promise.all(callers)
  }
}

async function requireOk(pending: Promise<Response>): Promise<void> {
  const response = await pending
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} returned ${response.status}: ${text}`)
}
