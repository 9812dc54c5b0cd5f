// Turns the deployments of half a year into environment reports. A report lists everything that runs in the
// environment.
import { createHash } from 'node:crypto'
import { type Call, DAY, HOUR, MINUTE, makeCalls, ORG, WATCHER, WEEK } from './call.ts'
import * as company from './company.ts'
import type { Release } from './release.ts'
import type { SeededRandom } from './seeded-random.ts'

/** A deployment replaces whatever the service ran in the environment before. */
export interface Deployment {
  at: number
  environment: string
  service: string
  name: string
  fingerprint: string
  instances: number
}

/** Releases reach staging within the hour and go live some hours later. */
export function buildDeployments(release: Release, end: number, random: SeededRandom): Deployment[] {
  const { service, image: name, fingerprint, begun_at, is_broken, is_held_back } = release
  if (is_broken) return []
  const artifact = { service: service.name, name, fingerprint }
  const live_at = begun_at + Math.floor((2 + random.next() * 20) * HOUR)
  const instances = service.runs_in === 'production' ? 2 + Math.floor(random.next() * 3) : 1
  if (is_held_back) return []
  return [
    { ...artifact, environment: 'staging', at: begun_at + 30 * MINUTE, instances: 1 },
    ...(live_at < end - HOUR ? [{ ...artifact, environment: service.runs_in, at: live_at, instances }] : []),
  ]
}

const hashText = (text: string) => createHash('sha256').update(text).digest('hex')
const BACKUP_TOOL = {
  service: 'backup-tool',
  name: '/opt/backup/run.sh',
  fingerprint: hashText('backup tool'),
}
const METRICS_AGENT = {
  service: 'metrics-agent',
  name: 'registry.metrics-vendor.example/agent:1.8.2',
  fingerprint: hashText('metrics agent'),
}
const HOTFIX = {
  service: 'ledger',
  name: 'registry.harbour-bank.example/ledger:hotfix',
  fingerprint: hashText('hotfix'),
}

/** Artifacts that no pipeline built: a script, a vendor's agent, and an image built on a laptop one night. */
export function buildForeignDeployments(start: number, end: number): Deployment[] {
  return [
    { ...BACKUP_TOOL, environment: 'archive-host', at: start + 2 * DAY, instances: 1 },
    { ...HOTFIX, environment: 'production', at: getHotfixTime(end), instances: 2 },
    { ...METRICS_AGENT, environment: 'production', at: getAgentTime(end), instances: 1 },
  ]
}

const getHotfixTime = (end: number) => Math.floor((end - 70 * DAY) / DAY) * DAY + 22 * HOUR
const getAgentTime = (end: number) => end - 40 * DAY

/** The script and the agent are put on the allow-list; the laptop image is replaced by a release an hour later. */
export function buildForeignFollowUps(start: number, end: number, releases: readonly Release[]): Call[] {
  const good = releases.findLast(({ service, begun_at, is_broken }) => {
    return service.name === 'ledger' && !is_broken && begun_at < getHotfixTime(end)
  })
  const buildAllowListEntry = ({ name, fingerprint }: typeof BACKUP_TOOL, description: string) => ({
    artifact_fingerprint: fingerprint,
    artifact_name: name,
    description,
  })
  return [
    makeCalls('mara', start + 2 * DAY + 3 * HOUR).put(
      `/allowlists/${ORG}/archive-host`,
      buildAllowListEntry(BACKUP_TOOL, 'Reviewed line by line; to be removed with the machine'),
    ),
    makeCalls('jonas', getAgentTime(end) - HOUR).put(`/allowlists/${ORG}/production`, {
      ...buildAllowListEntry(
        METRICS_AGENT,
        'Built by the vendor, who signs builds from version 2 on. Allowed for a quarter',
      ),
      expires_at: end + 50 * DAY,
    }),
    ...(good
      ? [
          makeCalls('jonas', getHotfixTime(end) + 9 * HOUR).post(
            `/attestations/${ORG}/ledger/trail/${good.trail}/generic`,
            {
              attestation_name: 'incident-report',
              description: 'An image built on a laptop ran for an hour and was replaced',
              is_compliant: true,
            },
          ),
        ]
      : []),
  ]
}

interface Observation {
  at: number
  environment: string
}

/** One report per change with everything that runs by then, plus reports without changes. */
export function buildReports(deployments: readonly Deployment[], start: number, end: number): Call[] {
  const running = new Map<string, Map<string, Deployment>>()
  const changes = [...deployments, ...buildReplacements(deployments)]
  const observations: (Observation | Deployment)[] = [...changes, ...buildQuietObservations(start, end)]
  return observations
    .sort((a, b) => a.at - b.at)
    .map(observation => {
      const { at, environment } = observation
      const running_here = running.get(environment) ?? new Map<string, Deployment>()
      if ('service' in observation) running_here.set(observation.service, observation)
      running.set(environment, running_here)
      const { type } = company.ENVIRONMENTS.find(({ name }) => name === environment) ?? { type: 'server' }
      const artifacts = [...running_here.values()].flatMap(each => buildElements(each, type))
      return makeCalls(WATCHER, at).put(`/environments/${ORG}/${environment}/report/${type}`, { artifacts })
    })
}

/** The old machine reported weekly, last six days ago; the other environments report all the time. */
function buildQuietObservations(start: number, end: number): Observation[] {
  const observations: Observation[] = ['production', 'staging', 'edge'].map(environment => ({
    environment,
    at: end - 10 * MINUTE,
  }))
  for (let at = end - 6 * DAY; at > start + WEEK; at -= WEEK)
    observations.push({ environment: 'archive-host', at })
  return observations
}

/** One hour after the laptop image, the previous artifact runs again. */
function buildReplacements(deployments: readonly Deployment[]): Deployment[] {
  return deployments
    .filter(({ fingerprint }) => fingerprint === HOTFIX.fingerprint)
    .flatMap(hotfix => {
      const before = deployments
        .filter(each => each.service === 'ledger' && each.environment === 'production' && each.at < hotfix.at)
        .sort((a, b) => a.at - b.at)
        .at(-1)
      return before ? [{ ...before, at: hotfix.at + HOUR }] : []
    })
}

function buildElements({ at, service, name, fingerprint, instances }: Deployment, type: string): unknown[] {
  const element = { digests: { [name]: fingerprint }, creationTimestamp: at }
  if (type !== 'K8S') return [element]
  return Array.from({ length: instances }, (_, i) => ({
    ...element,
    podName: `${service}-${fingerprint.slice(0, 8)}-${i}`,
    namespace: 'bank',
  }))
}
