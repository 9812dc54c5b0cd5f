// The load of a soak: clients that report trails, artifacts, evidence and running artifacts, and read lists and
// settings. It records every acknowledged write, to check at the end, and every response that must not occur.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'

const ORG = 'demo-org'
const FLOW = 'soak'
const PAUSE_MS = 40
const TIMEOUT_MS = 60_000
const COMMIT = '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1'
const READS = [
  `/flows/${ORG}`,
  `/trails/${ORG}?flow=${FLOW}&per_page=20`,
  `/environments/${ORG}`,
  `/artifacts/${ORG}?flow_name=${FLOW}`,
  `/approvals/${ORG}/${FLOW}`,
  `/service-accounts/${ORG}`,
  '/user/api-keys',
  `/organizations/${ORG}/environments_notifications`,
  `/notification-deliveries/${ORG}?per_page=20`,
]

export type Kind = 'trail' | 'artifact' | 'attestation' | 'evidence' | 'report'

export interface Load {
  /** Acknowledged names, fingerprints or hashes. */
  acknowledged: Record<Kind, string[]>
  /** The number of responses by status and active fault. */
  answers: Map<string, Map<string, number>>
  /** Responses that must not occur, each as one line. */
  wrong: string[]
  setFault(name: string): void
  stop(): Promise<void>
}

interface Request {
  method: string
  path: string
  body?: unknown
  form?: FormData
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

export async function setUp(fleet: Fleet, clients: number): Promise<void> {
  const send = async (path: string, body: unknown, method = 'PUT') => {
    const response = await sendTo(fleet, { method, path, body })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  await send(`/flows/${ORG}`, { name: FLOW, description: '' })
  for (let client = 0; client < clients; client++) {
    await send(`/environments/${ORG}`, { name: `soak-${client}`, type: 'K8S', description: '' })
  }
  await send(`/organizations/${ORG}/environments_notifications`, {
    name: 'soak',
    environments: Array.from({ length: clients }, (_, client) => `soak-${client}`),
    triggers: ['ON_STARTED_ARTIFACT'],
    targets: [{ type: 'WEBHOOK', webhook: `${fleet.receiver.url}/hook` }],
  })
}

export function startLoad(fleet: Fleet, clients: number): Load {
  const acknowledged: Load['acknowledged'] = {
    trail: [],
    artifact: [],
    attestation: [],
    evidence: [],
    report: [],
  }
  const answers: Load['answers'] = new Map()
  const wrong: string[] = []
  let fault = 'none'
  let stopping = false

  /** Whether it was acknowledged. */
  async function attempt(request: Request): Promise<boolean> {
    await sleep(PAUSE_MS)
    const during = fault
    const counts = answers.get(during) ?? new Map<string, number>()
    answers.set(during, counts)
    const response = await sendTo(fleet, request).catch(() => undefined)
    // The balancer returns 502 for a broken connection: nothing was acknowledged.
    const status = response === undefined || response.status === 502 ? 'no answer' : String(response.status)
    counts.set(status, (counts.get(status) ?? 0) + 1)
    if (!response) return false
    const text = await response.text().catch(() => undefined)
    const problem = findProblem(response)
    if (problem) wrong.push(`${request.method} ${request.path} during "${during}": ${problem} ${text}`)
    return response.ok && text !== undefined
  }

  async function write(kind: Kind, name: string, request: Request): Promise<boolean> {
    const isStored = await attempt(request)
    if (isStored) acknowledged[kind].push(name)
    return isStored
  }

  async function runClient(client: number): Promise<void> {
    for (let i = 0; !stopping; i++) {
      const name = `${client}-${i}`
      const read = READS[i % READS.length] ?? ''
      await attempt({ method: 'GET', path: read })
      await write('report', hash(`runs ${name}`), buildReport(client, name))
      if (!(await write('trail', name, buildTrail(name)))) continue
      await write('artifact', hash(`built ${name}`), buildArtifact(name))
      await write('attestation', name, buildAttestation(name))
      await write('evidence', hash(`evidence ${name}`), buildEvidence(name))
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_, client) => runClient(client)))
  return {
    acknowledged,
    answers,
    wrong,
    setFault: name => {
      fault = name
    },
    stop: async () => {
      stopping = true
      await running
    },
  }
}

/** Names are never used twice, so every other status is a bug. */
function findProblem({ status, headers }: Response): string | undefined {
  if (status < 300 || status === 502) return undefined
  if (status !== 503 && status !== 507) return `status ${status}`
  return headers.get('retry-after') === null ? `status ${status} without Retry-After` : undefined
}

function sendTo(fleet: Fleet, { method, path, body, form }: Request): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${fleet.key}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  return fetch(`http://127.0.0.1:${fleet.balancer.port}/api/v2${path}`, {
    method,
    headers,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(form ? { body: form } : body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const buildTrail = (name: string): Request => ({
  method: 'PUT',
  path: `/trails/${ORG}/${FLOW}`,
  body: { name },
})

const buildArtifact = (name: string): Request => ({
  method: 'POST',
  path: `/artifacts/${ORG}/${FLOW}`,
  body: {
    trail_name: name,
    template_reference_name: 'backend',
    filename: 'backend.bin',
    fingerprint: hash(`built ${name}`),
    git_commit: COMMIT,
    build_url: 'https://ci.example.com/42',
    commit_url: 'https://git.example.com/4f2c1d0b',
  },
})

const buildAttestation = (name: string): Request => ({
  method: 'POST',
  path: `/attestations/${ORG}/${FLOW}/trail/${name}/generic`,
  body: { attestation_name: 'checked', is_compliant: true, description: name },
})

function buildEvidence(name: string): Request {
  const form = new FormData()
  form.append('data_json', JSON.stringify({ attestation_name: 'attached', is_compliant: true }))
  form.append('attachment_file', new Blob([`evidence ${name}`]), 'report.txt')
  return { method: 'POST', path: `/attestations/${ORG}/${FLOW}/trail/${name}/generic`, form }
}

/** A new artifact each time, so that every report starts one and stops the previous one. */
function buildReport(client: number, name: string): Request {
  const digests = { [`registry.example.com/soak:${name}`]: hash(`runs ${name}`) }
  const pod = { podName: `pod-${name}`, namespace: 'default', digests, creationTimestamp: 1, owners: null }
  return {
    method: 'PUT',
    path: `/environments/${ORG}/soak-${client}/report/K8S`,
    body: { artifacts: [pod] },
  }
}
