// Half a year at the company, as the calls that its people and machines made, in the order of time. Pure: the same end
// and seed give the same story. What runs where is worked out while it is told, because a report names everything.
import { createHash } from 'node:crypto'
import * as company from './company.ts'
import { type Dice, makeDice } from './dice.ts'
import { attestationsOf, type Release } from './release.ts'

export interface Call {
  /** Epoch seconds. */
  at: number
  /** A person, or a robot of the company. */
  by: string
  method: 'PUT' | 'POST' | 'PATCH'
  /** Below /api/v2. */
  path: string
  body: unknown
  /** Sent as a form, with the body as its JSON part. */
  file?: { part: string; content: string }
}

const DAY = 24 * 60 * 60
const HOUR = 60 * 60
const MINUTE = 60
const WEEKS = 26
const { DEMO_ORG: ORG } = company
const { pipeline, watcher } = { pipeline: company.ROBOTS.pipeline.name, watcher: company.ROBOTS.watcher.name }

/** What a deployment does to an environment: the service runs this and nothing older. */
interface Deployment {
  at: number
  environment: string
  service: string
  name: string
  fingerprint: string
  instances: number
}

export function tellStory(end: number, seed: number): Call[] {
  const dice = makeDice(seed)
  const start = end - WEEKS * 7 * DAY
  const releases = company.SERVICES.flatMap(service => releasesOf(service, start, end, dice))
  const latest = latestRelease(end)
  const deployments = [
    ...releases.flatMap(release => deploymentsOf(release, end, dice)),
    ...accidents(start, end),
    ...(latest
      ? deploymentsOf(latest, end, makeDice(seed)).map(each => ({ ...each, at: latest.begun_at + 2 * HOUR }))
      : []),
  ]
  const calls = [
    ...beginning(start),
    ...changesOfRules(start),
    ...releases.flatMap(callsOf),
    ...badDays(start, end, releases),
    ...reportsOf(deployments),
    ...(latest ? callsOf(latest) : []),
  ]
  return calls.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
}

function beginning(at: number): Call[] {
  const mara = (path: string, body: unknown, method: Call['method'] = 'PUT', later = 0): Call => ({
    at: at + later,
    by: 'mara',
    method,
    path,
    body,
  })
  return [
    ...company.SERVICES.flatMap(({ name, description, risk }, i) => [
      {
        ...mara(`/flows/${ORG}/template_file`, { name, description }, 'PUT', i),
        file: { part: 'template_file', content: company.TEMPLATE },
      },
      mara(`/tags/${ORG}/flow/${name}`, { set_tags: { risk, team: 'payments' } }, 'PATCH', i),
    ]),
    ...company.ENVIRONMENTS.map(environment => mara(`/environments/${ORG}`, environment, 'PUT', 10)),
    ...company.LIVE.map(physical_env_name =>
      mara(`/environments/${ORG}/all-live/join`, { physical_env_name }, 'PUT', 20),
    ),
    ...company.CONTROLS.flatMap(({ tags, ...control }) => [
      mara(`/controls/${ORG}`, control, 'POST', 30),
      mara(`/tags/${ORG}/control/${control.identifier}`, { set_tags: tags }, 'PATCH', 31),
    ]),
    mara(`/policies/${ORG}/live-rules`, rules(company.LIVE_RULES_AT_FIRST, 'The first rules'), 'PUT', 40),
    mara(`/policies/${ORG}/staging-rules`, rules(company.STAGING_RULES, 'Less than live'), 'PUT', 40),
    mara(`/environments/${ORG}/staging/policies`, { policy_names: ['staging-rules'] }, 'POST', 50),
    ...['production', 'edge'].map(name =>
      mara(`/environments/${ORG}/${name}/policies`, { policy_names: ['live-rules'] }, 'POST', 50),
    ),
  ]
}

const rules = (policy_yaml: string, comment: string) => ({ policy_yaml, comment, description: comment })

/** In the ninth week scans and decisions are demanded of what moves money. */
function changesOfRules(start: number): Call[] {
  const at = start + 9 * 7 * DAY + 10 * HOUR
  const comment = 'Scans and release decisions for services of high risk'
  return [
    {
      at,
      by: 'mara',
      method: 'PUT',
      path: `/policies/${ORG}/live-rules`,
      body: rules(company.LIVE_RULES, comment),
    },
  ]
}

/** On working days, by day. The last release of each is some days old, so that the end is quiet but for what is told. */
function releasesOf(service: company.Service, start: number, end: number, dice: Dice): Release[] {
  const releases: Release[] = []
  for (let day = start + DAY; day < end - 2 * DAY; day += DAY) {
    const weekday = new Date(day * 1000).getUTCDay()
    if (weekday === 0 || weekday === 6 || dice.roll() > service.pace / 5) continue
    const begun_at = Math.floor(day / DAY) * DAY + 8 * HOUR + Math.floor(dice.roll() * 7 * HOUR)
    releases.push(makeRelease(service, releases.length + 1, begun_at, dice))
  }
  return releases
}

function makeRelease(service: company.Service, number: number, begun_at: number, dice: Dice): Release {
  const version = `2.${Math.floor(number / 10)}.${number % 10}`
  const name = `${service.name} ${version}`
  return {
    service,
    version,
    begun_at,
    trail: `release-${version}`,
    commit: createHash('sha1').update(name).digest('hex'),
    fingerprint: createHash('sha256').update(name).digest('hex'),
    image: `registry.harbour-bank.example/${service.name}:${version}`,
    author: dice.pick(company.ENGINEERS),
    title: dice.pick(company.TITLES),
    ticket: `BANK-${1000 + number * 7 + service.name.length}`,
    // Now and then a test fails and the release goes nowhere.
    is_broken: dice.roll() < 0.06,
    findings: dice.roll() < 0.3 ? 1 : 0,
  }
}

function callsOf(release: Release): Call[] {
  const { service, trail, begun_at } = release
  const { name } = service
  const at = (minutes: number) => begun_at + minutes * MINUTE
  const call = (minutes: number, method: Call['method'], path: string, body: unknown): Call => ({
    at: at(minutes),
    by: pipeline,
    method,
    path,
    body,
  })
  const commit = commitOf(release)
  return [
    call(0, 'PUT', `/trails/${ORG}/${name}`, {
      name: trail,
      description: release.title,
      git_commit_info: commit,
      repo_info: repoOf(name),
      origin_url: `https://ci.harbour-bank.example/${name}/${release.version}`,
    }),
    call(4, 'POST', `/artifacts/${ORG}/${name}`, {
      fingerprint: release.fingerprint,
      filename: release.image,
      git_commit: release.commit,
      build_url: `https://ci.harbour-bank.example/${name}/${release.version}`,
      commit_url: commit.url,
      trail_name: trail,
      template_reference_name: 'image',
      git_commit_info: commit,
      repo_info: repoOf(name),
    }),
    ...attestationsOf(release, commit).map(({ minutes, type, body }) =>
      call(minutes, 'POST', `/attestations/${ORG}/${name}/trail/${trail}/${type}`, body),
    ),
  ]
}

export function commitOf({ service, commit, author, title, begun_at }: Release) {
  return {
    sha1: commit,
    message: title,
    author: `${author} <${company.addressOf(author)}>`,
    branch: 'main',
    timestamp: begun_at - 20 * MINUTE,
    url: `https://git.harbour-bank.example/${service.name}/commit/${commit}`,
  }
}

const repoOf = (name: string) => ({
  id: name,
  name: `harbour-bank/${name}`,
  url: `https://git.harbour-bank.example/${name}`,
  provider: 'github',
})

/** To staging within the hour, and live some hours after it. */
function deploymentsOf(release: Release, end: number, dice: Dice): Deployment[] {
  if (release.is_broken) return []
  const { service, image: name, fingerprint, begun_at } = release
  const what = { service: service.name, name, fingerprint }
  const live_at = begun_at + Math.floor((2 + dice.roll() * 20) * HOUR)
  const instances = service.runs_in === 'production' ? 2 + Math.floor(dice.roll() * 3) : 1
  return [
    { ...what, environment: 'staging', at: begun_at + 30 * MINUTE, instances: 1 },
    ...(live_at < end - HOUR ? [{ ...what, environment: service.runs_in, at: live_at, instances }] : []),
  ]
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const BACKUP_TOOL = { service: 'backup-tool', name: '/opt/backup/run.sh', fingerprint: digest('backup tool') }
const HOTFIX = {
  service: 'ledger',
  name: 'registry.harbour-bank.example/ledger:hotfix',
  fingerprint: digest('hotfix'),
}

/** What no pipeline made: the old machine's script, and an image that somebody built on a laptop one night. */
function accidents(start: number, end: number): Deployment[] {
  return [
    { ...BACKUP_TOOL, environment: 'archive-host', at: start + 2 * DAY, instances: 1 },
    { ...HOTFIX, environment: 'production', at: hotfixAt(end), instances: 2 },
  ]
}

const hotfixAt = (end: number) => Math.floor((end - 70 * DAY) / DAY) * DAY + 22 * HOUR

/** How the two bad days ended: the script is allowed, the night's image gives way to a release an hour later. */
function badDays(start: number, end: number, releases: readonly Release[]): Call[] {
  const good = releases.findLast(({ service, begun_at, is_broken }) => {
    return service.name === 'ledger' && !is_broken && begun_at < hotfixAt(end)
  })
  return [
    {
      at: start + 2 * DAY + 3 * HOUR,
      by: 'mara',
      method: 'PUT',
      path: `/allowlists/${ORG}/archive-host`,
      body: {
        artifact_fingerprint: BACKUP_TOOL.fingerprint,
        artifact_name: BACKUP_TOOL.name,
        description: 'Read line by line; goes when the machine goes',
      },
    },
    ...(good
      ? [
          {
            at: hotfixAt(end) + 9 * HOUR,
            by: 'jonas',
            method: 'POST' as const,
            path: `/attestations/${ORG}/ledger/trail/${good.trail}/generic`,
            body: {
              attestation_name: 'incident-report',
              description: 'An image from a laptop ran for an hour; replaced',
              is_compliant: true,
            },
          },
        ]
      : []),
  ]
}

/** The end: until this morning everything was fine, and then a release went live that nobody had scanned. */
function latestRelease(end: number): Release | undefined {
  const payments = company.SERVICES.find(({ name }) => name === 'payments-api')
  return (
    payments && {
      ...makeRelease(payments, 90, end - 5 * HOUR, makeDice(1)),
      author: 'priya',
      title: 'Settle in batches of a thousand',
      is_broken: false,
      findings: 0,
      leaves_out: ['vulnerability-scan'],
    }
  )
}

/** One report for each change: everything that runs there by then. */
function reportsOf(deployments: readonly Deployment[]): Call[] {
  const running = new Map<string, Map<string, Deployment>>()
  const ordered = [...deployments, ...replacements(deployments)].sort((a, b) => a.at - b.at)
  return ordered.map(deployment => {
    const there = running.get(deployment.environment) ?? new Map<string, Deployment>()
    there.set(deployment.service, deployment)
    running.set(deployment.environment, there)
    const { at, environment } = deployment
    const { type } = company.ENVIRONMENTS.find(({ name }) => name === environment) ?? { type: 'server' }
    const artifacts = [...there.values()].flatMap(each => elementsOf(each, type))
    return {
      at,
      by: watcher,
      method: 'PUT',
      path: `/environments/${ORG}/${environment}/report/${type}`,
      body: { artifacts },
    }
  })
}

/** An hour after the night's image, what ran before it runs again. */
function replacements(deployments: readonly Deployment[]): Deployment[] {
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

function elementsOf({ at, service, name, fingerprint, instances }: Deployment, type: string): unknown[] {
  const element = { digests: { [name]: fingerprint }, creationTimestamp: at }
  if (type !== 'K8S') return [element]
  return Array.from({ length: instances }, (_, i) => ({
    ...element,
    podName: `${service}-${fingerprint.slice(0, 8)}-${i}`,
    namespace: 'bank',
  }))
}
