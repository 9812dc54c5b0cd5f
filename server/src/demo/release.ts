// The releases of half a year: when each begins, and what is special about some of them.
import { createHash } from 'node:crypto'
import { DAY, HOUR } from './call.ts'
import * as company from './company.ts'
import { makeSeededRandom, type SeededRandom } from './seeded-random.ts'

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
  /** Not deployed although nothing failed. */
  is_held_back?: boolean
  /** Has tests and a review, but was never built. */
  is_unbuilt?: boolean
  is_slow?: boolean
  has_failed_gate?: boolean
  has_rollback_plan?: boolean
  reviewed?: 'by nobody' | 'without a pull request'
  /** Number of vulnerabilities by severity. */
  findings: { high: number; medium: number; low: number }
  /** The reason of the override, if the findings were overridden. */
  excused?: string
  /** Names of missing attestations. */
  leaves_out?: readonly string[]
}

const NO_FINDINGS = { high: 0, medium: 0, low: 0 }

/** During office hours on weekdays. Stops some days before the end, so that the special releases stand out. */
export function buildReleases(
  service: company.Service,
  start: number,
  end: number,
  random: SeededRandom,
): Release[] {
  const releases: Release[] = []
  for (let day = start + DAY; day < end - 2 * DAY; day += DAY) {
    const weekday = new Date(day * 1000).getUTCDay()
    if (weekday === 0 || weekday === 6 || random.next() > service.pace / 5) continue
    const begun_at = Math.floor(day / DAY) * DAY + 8 * HOUR + Math.floor(random.next() * 7 * HOUR)
    releases.push(buildRelease(service, releases.length + 1, begun_at, random))
  }
  return applySpecialReleases(releases)
}

function buildRelease(
  service: company.Service,
  number: number,
  begun_at: number,
  random: SeededRandom,
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
    author: random.pick(company.ENGINEERS),
    title: random.pick(company.TITLES),
    ticket: `BANK-${1000 + number * 7 + service.name.length}`,
    // Sometimes a test fails and the release is not deployed.
    is_broken: random.next() < 0.06,
    // Minor findings do not stop the release of a low-risk service.
    findings: random.next() < 0.15 && service.risk === 'low' ? { high: 0, medium: 1, low: 2 } : NO_FINDINGS,
  }
}

interface SpecialRelease {
  /** Position among the releases that are not broken, counted back from the last, which is 1. */
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
          'Only the 2019 importer uses the parser, and it is not part of the image. It will be removed next month.',
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
  const unbroken = releases.filter(({ is_broken }) => !is_broken)
  const changes = new Map<Release | undefined, Partial<Release>>()
  for (const { back, change } of SPECIAL_RELEASES[releases[0]?.service.name ?? ''] ?? [])
    changes.set(unbroken.at(-back), change)
  return releases.map(release => ({ ...release, ...changes.get(release) }))
}

/** The final event: this morning a release went live that had not been scanned. */
export function buildLatestRelease(end: number): Release {
  return {
    ...buildRelease(requireService('payments-api'), 90, end - 5 * HOUR, makeSeededRandom(1)),
    author: 'priya',
    title: 'Settle in batches of a thousand',
    is_broken: false,
    has_rollback_plan: true,
    findings: NO_FINDINGS,
    leaves_out: ['vulnerability-scan'],
  }
}

/** Tested and reviewed but never built: its evidence waits for an artifact. */
export function buildUnbuiltRelease(releases: readonly Release[], end: number): Release {
  const service = requireService('web-banking')
  const number = releases.filter(each => each.service.name === service.name).length + 1
  return {
    ...buildRelease(service, number, end - 26 * HOUR, makeSeededRandom(2)),
    title: 'Remember how the list was sorted',
    is_broken: false,
    is_unbuilt: true,
    findings: NO_FINDINGS,
    leaves_out: ['vulnerability-scan', 'release-decision'],
  }
}

export function buildRetiredRelease(at: number): Release {
  return {
    ...buildRelease(company.RETIRED.service, 1, at, makeSeededRandom(3)),
    is_broken: false,
    findings: NO_FINDINGS,
  }
}

function requireService(service_name: string): company.Service {
  const [service] = company.SERVICES.filter(({ name }) => name === service_name)
  if (!service) throw new Error(`The demo company has no service ${service_name}`)
  return service
}
