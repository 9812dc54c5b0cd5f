// A trail as a CI job reports it: the commit, the repository and the build URL. About a kilobyte of JSON.
import { ORG } from './bench-service.ts'

export const FLOW = 'checkout-service'
export const TRAILS_PATH = `/api/v2/trails/${ORG}/${FLOW}`

export const TRAIL_FIELDS = {
  description: 'Build of the main branch',
  git_commit_info: {
    sha1: '9f2c1d0b8a7e6f5d4c3b2a190817263544536271',
    message:
      'Round totals after the discount, not before\n\nTwo lines of one order could differ by a cent from ' +
      'their sum, and finance had to correct the journal by hand every month.\n\nReviewed-by: R. Weiss',
    author: 'Ada Pereira <ada.pereira@example.com>',
    author_username: 'ada-pereira',
    branch: 'main',
    timestamp: 1_772_530_000.25,
    url: 'https://git.example.com/shop/checkout-service/commit/9f2c1d0b8a7e6f5d4c3b2a190817263544536271',
    parents: ['1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d'],
  },
  repo_info: {
    id: '48213377',
    name: 'shop/checkout-service',
    url: 'https://git.example.com/shop/checkout-service',
    provider: 'gitlab' as const,
  },
  origin_url: 'https://ci.example.com/shop/checkout-service/pipelines/771204',
  user_data: { pipeline: 771204, runner: 'linux-large-07' },
}

const FIELDS_TEXT = JSON.stringify(TRAIL_FIELDS).slice(1)

/** Concatenated, because serializing the same JSON again and again would cost the client time. */
export function buildTrailBody(name: string): string {
  return `{"name":"${name}",${FIELDS_TEXT}`
}
