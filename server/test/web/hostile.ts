// An org whose every text wants to be markup, and the pages that show it.
import type { Service } from '../service.ts'

/** What a page would open a dialog for, if it took the text for markup. */
export const PAYLOAD = '<img src=x onerror="alert(document.domain)">'

const ORG = 'demo-org'
const FINGERPRINT = 'ab'.repeat(32)
const COMMIT = 'cd'.repeat(20)
const COMMIT_INFO = {
  sha1: COMMIT,
  message: PAYLOAD,
  author: PAYLOAD,
  branch: PAYLOAD,
  timestamp: 1_772_530_000,
}

/** Answers what the server said to each call, so that a test sees what was not taken. */
export async function writeHostileTexts(service: Service): Promise<Record<string, number>> {
  const answers: Record<string, number> = {}
  for (const [method, path, body] of CALLS) {
    const { status } = await service.call(method, `/api/v2/${path}`, { key: service.key, body })
    answers[`${method} ${path}`] = status
  }
  return answers
}

const CALLS: readonly [string, string, unknown][] = [
  ['PUT', `flows/${ORG}`, { name: 'hostile', description: PAYLOAD, visibility: 'private' }],
  ['PUT', `trails/${ORG}/hostile`, { name: 'first', description: PAYLOAD, git_commit_info: COMMIT_INFO }],
  [
    'POST',
    `artifacts/${ORG}/hostile`,
    {
      fingerprint: FINGERPRINT,
      filename: PAYLOAD,
      git_commit: COMMIT,
      git_commit_info: COMMIT_INFO,
      build_url: 'https://ci.example.com/1',
      commit_url: 'https://git.example.com/1',
      trail_name: 'first',
      template_reference_name: 'image',
    },
  ],
  [
    'POST',
    `attestations/${ORG}/hostile/trail/first/generic`,
    {
      attestation_name: 'review',
      description: PAYLOAD,
      annotations: { note: PAYLOAD },
      user_data: { note: PAYLOAD },
      external_urls: {},
      is_compliant: false,
    },
  ],
  ['PUT', `environments/${ORG}`, { name: 'hostile', type: 'server', description: PAYLOAD }],
  [
    'PUT',
    `environments/${ORG}/hostile/report/server`,
    {
      artifacts: [{ digests: { [PAYLOAD]: FINGERPRINT }, creationTimestamp: 1_772_530_000 }],
    },
  ],
  ['POST', `controls/${ORG}`, { identifier: 'HOSTILE-1', name: PAYLOAD, description: PAYLOAD }],
]

export const HOSTILE_PAGES = [
  `/${ORG}`,
  `/${ORG}/environments`,
  `/${ORG}/environments/hostile`,
  `/${ORG}/settings/audit-events`,
  `/${ORG}/search?q=hostile`,
  `/${ORG}/search?q=${FINGERPRINT}`,
  `/${ORG}/search?q=${encodeURIComponent(PAYLOAD)}`,
]
