// The releases of half a year: when they begin, what is the matter with a few of them, and what a pipeline reports of each.
import { createHash } from 'node:crypto'
import { type Call, DAY, HOUR, MINUTE, makeCalls, ORG, PIPELINE } from './call.ts'
import * as company from './company.ts'
import { buildAttestations } from './evidence.ts'
import { type Dice, makeDice } from './seeded-random.ts'

export interface Release {
  service: company.Service
  version: string
  /** Epoch seconds. */
  begun_at: number
  trail: string
  commit: string
  fingerprint: string
  image: string
  author: string
  title: string
  ticket: string
  is_broken: boolean
  /** Nothing failed, and still somebody said no. */
  is_held_back?: boolean
  /** Tests and review are there, and the build never came. */
  is_unbuilt?: boolean
  is_slow?: boolean
  has_failed_gate?: boolean
  has_rollback_plan?: boolean
  reviewed?: 'by nobody' | 'without a pull request'
  /** How many vulnerabilities, by severity. */
  findings: { high: number; medium: number; low: number }
  /** Why the findings do not matter, in the words of who answers for it. */
  excused?: string
  /** Attestations that never came. */
  leaves_out?: readonly string[]
}

const NO_FINDINGS = { high: 0, medium: 0, low: 0 }

/** On working days, by day. The last release of each is some days old, so that the end is quiet but for what is told. */
export function buildReleases(service: company.Service, start: number, end: number, dice: Dice): Release[] {
  const releases: Release[] = []
  for (let day = start + DAY; day < end - 2 * DAY; day += DAY) {
    const weekday = new Date(day * 1000).getUTCDay()
    if (weekday === 0 || weekday === 6 || dice.roll() > service.pace / 5) continue
    const begun_at = Math.floor(day / DAY) * DAY + 8 * HOUR + Math.floor(dice.roll() * 7 * HOUR)
    releases.push(buildRelease(service, releases.length + 1, begun_at, dice))
  }
  return applySpecialReleases(releases)
}

export function buildRelease(
  service: company.Service,
  number: number,
  begun_at: number,
  dice: Dice,
): Release {
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
    // Where no money moves, something small does not stop a release.
    findings: dice.roll() < 0.15 && service.risk === 'low' ? { high: 0, medium: 1, low: 2 } : NO_FINDINGS,
  }
}

interface SpecialRelease {
  /** Counted from the last of those that are not broken, which is 1. */
  back: number
  change: Partial<Release>
}

const HELD_BACK = { is_held_back: true, findings: NO_FINDINGS }
const SPECIAL_RELEASES: Readonly<Record<string, readonly SpecialRelease[]>> = {
  'payments-api': [{ back: 2, change: { has_rollback_plan: true } }],
  ledger: [
    {
      back: 3,
      change: {
        findings: { high: 1, medium: 1, low: 0 },
        excused:
          'The parser is only used by the importer of 2019, which is not part of the image. Gone by next month.',
      },
    },
  ],
  'fraud-scoring': [
    { back: 3, change: { is_held_back: true, findings: { high: 2, medium: 1, low: 1 } } },
    { back: 2, change: { is_slow: true } },
  ],
  'web-banking': [
    { back: 8, change: { ...HELD_BACK, reviewed: 'by nobody' } },
    { back: 5, change: { ...HELD_BACK, reviewed: 'without a pull request' } },
    { back: 3, change: { findings: { high: 0, medium: 1, low: 2 } } },
    { back: 1, change: { findings: NO_FINDINGS } },
  ],
  'statement-mailer': [
    { back: 2, change: { has_failed_gate: true } },
    { back: 1, change: { findings: NO_FINDINGS } },
  ],
}

function applySpecialReleases(releases: readonly Release[]): Release[] {
  const whole = releases.filter(({ is_broken }) => !is_broken)
  const changes = new Map<Release | undefined, Partial<Release>>()
  for (const { back, change } of SPECIAL_RELEASES[releases[0]?.service.name ?? ''] ?? [])
    changes.set(whole.at(-back), change)
  return releases.map(release => ({ ...release, ...changes.get(release) }))
}

/** The end: until this morning everything was fine, and then a release went live that nobody had scanned. */
export function buildLatestRelease(end: number): Release {
  return {
    ...buildRelease(requireService('payments-api'), 90, end - 5 * HOUR, makeDice(1)),
    author: 'priya',
    title: 'Settle in batches of a thousand',
    is_broken: false,
    has_rollback_plan: true,
    findings: NO_FINDINGS,
    leaves_out: ['vulnerability-scan'],
  }
}

/** What was tested and reviewed, and never built: the evidence waits for an artifact. */
export function buildUnbuiltRelease(releases: readonly Release[], end: number): Release {
  const service = requireService('web-banking')
  const number = releases.filter(each => each.service.name === service.name).length + 1
  return {
    ...buildRelease(service, number, end - 26 * HOUR, makeDice(2)),
    title: 'Remember how the list was sorted',
    is_broken: false,
    is_unbuilt: true,
    findings: NO_FINDINGS,
    leaves_out: ['vulnerability-scan', 'release-decision'],
  }
}

export function buildRetiredRelease(at: number): Release {
  return {
    ...buildRelease(company.RETIRED.service, 1, at, makeDice(3)),
    is_broken: false,
    findings: NO_FINDINGS,
  }
}

function requireService(service_name: string): company.Service {
  const [service] = company.SERVICES.filter(({ name }) => name === service_name)
  if (!service) throw new Error(`the company has no ${service_name}`)
  return service
}

/** All that a pipeline does for a release, and what a person had to add. */
export function buildReleaseCalls(release: Release): Call[] {
  const { service, trail, begun_at } = release
  const { name } = service
  const at = (minutes: number) => makeCalls(PIPELINE, begun_at + minutes * MINUTE)
  const commit = buildCommit(release)
  const origin_url = `https://ci.harbour-bank.example/${name}/${release.version}`
  const begun = at(0).put(`/trails/${ORG}/${name}`, {
    name: trail,
    description: release.title,
    git_commit_info: commit,
    repo_info: buildRepo(name),
    origin_url,
  })
  const built = at(4).post(`/artifacts/${ORG}/${name}`, {
    fingerprint: release.fingerprint,
    filename: release.image,
    git_commit: release.commit,
    build_url: origin_url,
    commit_url: commit.url,
    trail_name: trail,
    template_reference_name: 'image',
    git_commit_info: commit,
    repo_info: buildRepo(name),
  })
  const attested = buildAttestations(release, commit).map(({ minutes, by = PIPELINE, type, body, file }) => ({
    ...makeCalls(by, begun_at + minutes * MINUTE).post(
      `/attestations/${ORG}/${name}/trail/${trail}/${type}`,
      body,
    ),
    ...(file ? { file } : {}),
  }))
  return [begun, ...(release.is_unbuilt ? [] : [built]), ...attested]
}

function buildCommit({ service, commit, author, title, begun_at }: Release) {
  return {
    sha1: commit,
    message: title,
    author: `${author} <${company.toMailAddress(author)}>`,
    branch: 'main',
    timestamp: begun_at - 20 * MINUTE,
    url: `https://git.harbour-bank.example/${service.name}/commit/${commit}`,
  }
}

const buildRepo = (name: string) => ({
  id: name,
  name: `harbour-bank/${name}`,
  url: `https://git.harbour-bank.example/${name}`,
  provider: 'github',
})
