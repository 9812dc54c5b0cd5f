// One page of the lists of a trail, for trails with thousands of attestations. The verdict is that of the whole trail.
import { buildPagination, type PageRequest, toSlice } from '../shared/page.ts'
import type { Trail } from './wire.ts'

export function pageTrail(trail: Trail, page: PageRequest): Trail {
  const { limit, offset } = toSlice(page)
  let total = 0
  const cut = <T>(list: T[]): T[] => {
    total = Math.max(total, list.length)
    return list.slice(offset, offset + limit)
  }
  const { compliance_status: status, events } = trail
  const artifacts = Object.entries(status.artifacts_statuses).map(([name, artifact]) => [
    name,
    {
      ...artifact,
      attestations_statuses: cut(artifact.attestations_statuses),
      reasons: cut(artifact.reasons),
    },
  ])
  return {
    ...trail,
    compliance_status: {
      ...status,
      attestations_statuses: cut(status.attestations_statuses),
      artifacts_statuses: Object.fromEntries(artifacts),
      reasons: cut(status.reasons),
      waiting: cut(status.waiting),
    },
    events: cut(events),
    pagination: buildPagination(page, total),
  }
}
