// GET /search/{org}/sha/{value}: resolves a fingerprint or commit, in full or by prefix.
import { notFound } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { groupByFingerprint } from '../shared/places-store.ts'
import { findBySha } from './store.ts'
import { resolve, ShaFound, ShaPath, toArtifact } from './wire.ts'

export const searchBySha = defineOperation(
  {
    id: 'searchBySha',
    method: 'GET',
    path: '/search/{org}/sha/{value}',
    tag: 'Search',
    summary: 'Find artifacts by fingerprint or commit',
    description:
      'The value is a fingerprint or a commit, in full or as a prefix of at least five characters.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: ShaPath,
    returns: ShaFound,
    fails: [400, 403, 404],
    example: { params: { value: '4f2c1d0' } },
  },
  async ({ params, org }, { db, base_url }) => {
    const prefix = params.value.toLowerCase()
    const { matches, artifacts, places } = await db.withTransaction({ org_id: org.org_id }, tx =>
      findBySha(tx, org.org_id, prefix),
    )
    if (matches.length === 0) throw notFound(`No matches for '${params.value}'.`)
    const site = { base_url, org: org.name }
    const placesByFingerprint = groupByFingerprint(places)
    return {
      resolved_to: resolve(prefix, matches),
      artifacts: artifacts.map(row => toArtifact(row, placesByFingerprint.get(row.fingerprint) ?? [], site)),
      artifacts_count: artifacts[0]?.total ?? 0,
    }
  },
)
