// Changes the settings of an organization: saves them with an event, or does nothing if nothing differs.
import { recordEvent } from '../../events/record.ts'
import { accessDenied } from '../../lib/errors.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import { lockOrgDetails, type OrgDetails } from '../shared/org-details-store.ts'
import { refuseLockOut } from './sso.ts'
import { listCallerIds, saveOrgDetails } from './store.ts'
import { toWireSettings } from './wire.ts'

interface ChangeRequest {
  caller: Caller
  org: CallerOrg
  now: Date
  request_id: string
  url: string
}

export async function changeOrg(
  request: ChangeRequest,
  { db, ids, base_url, sso, forgetCaller }: Deps,
  applyChange: (before: OrgDetails) => OrgDetails,
): Promise<OrgDetails> {
  const { org, url } = request
  const { after, callers } = await db.withTransaction({ org_id: org.org_id }, async tx => {
    const before = await lockOrgDetails(tx, org.org_id)
    if (!before) throw accessDenied(url.slice(base_url.length))
    const after = applyChange(before)
    const data = computeDifferences(toRecord(before), toRecord(after))
    if (data) {
      const isAboutSso = 'sso_required' in data.after || 'break_glass' in data.after
      if (isAboutSso) await refuseLockOut(tx, { ...request, sso }, before.settings, after.settings)
      await saveOrgDetails(tx, org.org_id, after)
      await recordEvent(tx, request, ids, { kind: 'org_changed', data: { org: org.name, ...data } })
    }
    const isOther =
      JSON.stringify([before.features, before.settings]) !== JSON.stringify([after.features, after.settings])
    // Cached callers carry the features and settings of the org.
    return { after, callers: isOther ? await listCallerIds(tx, org.org_id) : [] }
  })
  for (const caller_id of callers) forgetCaller(caller_id)
  return after
}

function toRecord({ description, features, settings }: OrgDetails): Record<string, unknown> {
  return { description, ...features, ...toWireSettings(settings) }
}

/** The fields that differ, before and after; undefined if none do. */
function computeDifferences(before: Record<string, unknown>, after: Record<string, unknown>) {
  const differs = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const names = Object.keys(after).filter(differs)
  if (names.length === 0) return undefined
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map(name => [name, all[name]]))
  return { before: pick(before), after: pick(after) }
}
