// What runs where: from the deployments of half a year to the reports of what is there, because a report names everything.
import { createHash } from 'node:crypto'
import { type Call, DAY, HOUR, MINUTE, makeCalls, ORG, WATCHER, WEEK } from './call.ts'
import * as company from './company.ts'
import type { Release } from './release.ts'
import type { Dice } from './seeded-random.ts'

/** What a deployment does to an environment: the service runs this and nothing older. */
export interface Deployment {
  at: number
  environment: string
  service: string
  name: string
  fingerprint: string
  instances: number
}

/** To staging within the hour, and live some hours after it. */
export function buildDeployments(release: Release, end: number, dice: Dice): Deployment[] {
  const { service, image: name, fingerprint, begun_at, is_broken, is_held_back } = release
  if (is_broken) return []
  const what = { service: service.name, name, fingerprint }
  const live_at = begun_at + Math.floor((2 + dice.roll() * 20) * HOUR)
  const instances = service.runs_in === 'production' ? 2 + Math.floor(dice.roll() * 3) : 1
  if (is_held_back) return []
  return [
    { ...what, environment: 'staging', at: begun_at + 30 * MINUTE, instances: 1 },
    ...(live_at < end - HOUR ? [{ ...what, environment: service.runs_in, at: live_at, instances }] : []),
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

/** What no pipeline made: a script, a vendor's agent, and an image that somebody built on a laptop one night. */
export function buildForeignDeployments(start: number, end: number): Deployment[] {
  return [
    { ...BACKUP_TOOL, environment: 'archive-host', at: start + 2 * DAY, instances: 1 },
    { ...HOTFIX, environment: 'production', at: getHotfixTime(end), instances: 2 },
    { ...METRICS_AGENT, environment: 'production', at: getAgentTime(end), instances: 1 },
  ]
}

const getHotfixTime = (end: number) => Math.floor((end - 70 * DAY) / DAY) * DAY + 22 * HOUR
const getAgentTime = (end: number) => end - 40 * DAY

/** How that ended: script and agent are allowed, the night's image gives way to a release an hour later. */
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
      buildAllowListEntry(BACKUP_TOOL, 'Read line by line; goes when the machine goes'),
    ),
    makeCalls('jonas', getAgentTime(end) - HOUR).put(`/allowlists/${ORG}/production`, {
      ...buildAllowListEntry(
        METRICS_AGENT,
        'Built by the vendor, who signs from version 2 on. Until then, for a quarter',
      ),
      expires_at: end + 50 * DAY,
    }),
    ...(good
      ? [
          makeCalls('jonas', getHotfixTime(end) + 9 * HOUR).post(
            `/attestations/${ORG}/ledger/trail/${good.trail}/generic`,
            {
              attestation_name: 'incident-report',
              description: 'An image from a laptop ran for an hour; replaced',
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

/** One report for each change, everything that runs there by then, and those at which nothing had changed. */
export function buildReports(deployments: readonly Deployment[], start: number, end: number): Call[] {
  const running = new Map<string, Map<string, Deployment>>()
  const changes = [...deployments, ...buildReplacements(deployments)]
  const observations: (Observation | Deployment)[] = [...changes, ...buildQuietObservations(start, end)]
  return observations
    .sort((a, b) => a.at - b.at)
    .map(observation => {
      const { at, environment } = observation
      const there = running.get(environment) ?? new Map<string, Deployment>()
      if ('service' in observation) there.set(observation.service, observation)
      running.set(environment, there)
      const { type } = company.ENVIRONMENTS.find(({ name }) => name === environment) ?? { type: 'server' }
      const artifacts = [...there.values()].flatMap(each => buildElements(each, type))
      return makeCalls(WATCHER, at).put(`/environments/${ORG}/${environment}/report/${type}`, { artifacts })
    })
}

/** The old machine tells of itself once a week, and has not for six days; the others are looked at all the time. */
function buildQuietObservations(start: number, end: number): Observation[] {
  const observations: Observation[] = ['production', 'staging', 'edge'].map(environment => ({
    environment,
    at: end - 10 * MINUTE,
  }))
  for (let at = end - 6 * DAY; at > start + WEEK; at -= WEEK)
    observations.push({ environment: 'archive-host', at })
  return observations
}

/** An hour after the night's image, what ran before it runs again. */
function buildReplacements(deployments: readonly Deployment[]): Deployment[] {
  return deployments
    .filter(({ fingerprint }) => fingerprint === HOTFIX.fingerprint)
    .flatMap(night => {
      const before = deployments
        .filter(each => each.service === 'ledger' && each.environment === 'production' && each.at < night.at)
        .sort((a, b) => a.at - b.at)
        .at(-1)
      return before ? [{ ...before, at: night.at + HOUR }] : []
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
