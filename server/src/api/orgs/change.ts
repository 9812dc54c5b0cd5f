// One change of what admins chose for their organization: saved with its event, or nothing when nothing differs.
import { record } from '../../events/record.ts'
import { accessDenied } from '../../lib/errors.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import { refuseLockOut } from './sso.ts'
import { callersOf, lockOrgDetails, type OrgDetails, saveOrgDetails } from './store.ts'
import { settingsOf } from './wire.ts'

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
  changed: (before: OrgDetails) => OrgDetails,
): Promise<OrgDetails> {
  const { org, url } = request
  const { after, callers } = await db.inTransaction({ org_id: org.org_id }, async tx => {
    const before = await lockOrgDetails(tx, org.org_id)
    if (!before) throw accessDenied(url.slice(base_url.length))
    const after = changed(before)
    const data = differences(choicesOf(before), choicesOf(after))
    if (data) {
      const isAboutSso = 'sso_required' in data.after || 'break_glass' in data.after
      if (isAboutSso) await refuseLockOut(tx, { ...request, sso }, before.settings, after.settings)
      await saveOrgDetails(tx, org.org_id, after)
      await record(tx, request, ids, { kind: 'org_changed', data: { org: org.name, ...data } })
    }
    const isOther =
      JSON.stringify([before.features, before.settings]) !== JSON.stringify([after.features, after.settings])
    // What callers may use is remembered with them.
    return { after, callers: isOther ? await callersOf(tx, org.org_id) : [] }
  })
  for (const caller_id of callers) forgetCaller(caller_id)
  return after
}

function choicesOf({ description, features, settings }: OrgDetails): Record<string, unknown> {
  return { description, ...features, ...settingsOf(settings) }
}

/** Only what differs, as it was and as it is; undefined when nothing does. */
function differences(before: Record<string, unknown>, after: Record<string, unknown>) {
  const differs = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const names = Object.keys(after).filter(differs)
  if (names.length === 0) return undefined
  const only = (all: Record<string, unknown>) => Object.fromEntries(names.map(name => [name, all[name]]))
  return { before: only(before), after: only(after) }
}
