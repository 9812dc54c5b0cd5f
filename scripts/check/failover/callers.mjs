// Callers of the service during a failover: writers that begin trails one after another, and readers. Each records
// its responses, and when they came.
import { setTimeout as sleep } from 'node:timers/promises'
import { ORG } from '../../run/service.mjs'

const FLOW = 'failover'
const WRITERS = 8
const READERS = 2
/** The pause after a refusal, like clients that honour Retry-After; shorter, to see the end of the outage sooner. */
const PAUSE_MS = 100

export async function startCallers({ url, key }) {
  const send = (method, path, body) =>
    fetch(`${url}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
  const created = await send('PUT', `/flows/${ORG}`, { name: FLOW, description: '' })
  if (!created.ok) throw new Error(`The flow was not created: ${created.status} ${await created.text()}`)
  const answers = []
  let is_over = false
  let number = 0
  const run = Math.random().toString(36).slice(2, 8)
  const repeat = async (kind, request) => {
    while (!is_over) {
      const name = `${kind}-${run}-${number++}`
      const began = performance.now()
      const status = await request(name)
        .then(readStatus)
        .catch(error => `no answer (${error.cause?.code ?? error.message})`)
      const ended = performance.now()
      answers.push({ kind, name, status, began, ended })
      if (status !== 201 && status !== 200) await sleep(PAUSE_MS)
    }
  }
  const write = name => send('PUT', `/trails/${ORG}/${FLOW}`, { name })
  const read = () => send('GET', `/trails/${ORG}/${FLOW}?per_page=10`)
  const running = [
    ...Array.from({ length: WRITERS }, () => repeat('write', write)),
    ...Array.from({ length: READERS }, () => repeat('read', read)),
  ]
  return {
    answers,
    /** The trails that the service has acknowledged. */
    listAcknowledged: () => answers.filter(({ status }) => status === 201).map(({ name }) => name),
    stop: async () => {
      is_over = true
      await Promise.all(running)
    },
  }
}

async function readStatus(response) {
  // A response counts when its last byte has arrived.
  await response.arrayBuffer()
  return response.status
}

/** What callers saw after `lost_at`, a time from performance.now(). */
export function describeAnswers(answers, lost_at) {
  const after = answers.filter(({ ended }) => ended > lost_at)
  const isDone = ({ status }) => status === 201 || status === 200
  const describe = kind => {
    const own = after.filter(answer => answer.kind === kind)
    // Responses that were in flight when the server was lost do not count.
    const bad = own.filter(answer => !isDone(answer))
    const last_bad = Math.max(lost_at, ...bad.map(({ ended }) => ended))
    const good = own.filter(answer => isDone(answer) && answer.began > lost_at).map(({ ended }) => ended)
    const statuses = {}
    for (const { status } of bad) statuses[status] = (statuses[status] ?? 0) + 1
    return {
      seconds_until_answered: toSeconds(Math.min(...good) - lost_at),
      seconds_until_last_refusal: toSeconds(last_bad - lost_at),
      refusals: statuses,
      slowest_seconds: toSeconds(Math.max(...own.map(({ began, ended }) => ended - began))),
    }
  }
  return { writes: describe('write'), reads: describe('read') }
}

export const toSeconds = ms => Number((ms / 1000).toFixed(1))
