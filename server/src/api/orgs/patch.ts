// PATCH /organizations/{org}: what admins choose for their organization. What is left out stays.
import { record } from '../../events/record.ts'
import { accessDenied } from '../../lib/errors.ts'
import { operation } from '../operation.ts'
import { callersOf, lockOrgDetails, type OrgDetails, saveOrgDetails } from './store.ts'
import { Org, OrgPatch, OrgPath, settingsOf, toWire } from './wire.ts'

export const patchOrg = operation(
  {
    id: 'patchOrganization',
    method: 'PATCH',
    path: '/organizations/{org}',
    tag: 'Organizations',
    summary: 'Change an organization',
    description: 'What is left out stays. A list is replaced as a whole.',
    access: 'admin',
    audit: 'org_changed',
    params: OrgPath,
    body: OrgPatch,
    returns: Org,
    fails: [400, 403],
    example: {
      body: { description: 'What the platform team ships', settings: { mail_domains: ['example.com'] } },
    },
  },
  async (request, { db, ids, base_url, forgetCaller }) => {
    const { body, org, url } = request
    const { after, callers } = await db.inTransaction({ org_id: org.org_id }, async tx => {
      const before = await lockOrgDetails(tx, org.org_id)
      if (!before) throw accessDenied(url.slice(base_url.length))
      const after = changed(before, body)
      const data = differences(choicesOf(before), choicesOf(after))
      if (data) {
        await saveOrgDetails(tx, org.org_id, after)
        await record(tx, request, ids, { kind: 'org_changed', data: { org: org.name, ...data } })
      }
      // What callers may use is remembered with them.
      return { after, callers: body.features ? await callersOf(tx, org.org_id) : [] }
    })
    for (const caller_id of callers) forgetCaller(caller_id)
    return toWire(after)
  },
)

function changed(before: OrgDetails, { description, settings, features }: OrgPatch): OrgDetails {
  const domains = settings?.mail_domains?.map(domain => domain.toLowerCase())
  return {
    ...before,
    description: description ?? before.description,
    features: { ...before.features, ...features },
    settings: {
      ...before.settings,
      ...settings,
      ...(domains ? { mail_domains: [...new Set(domains)].sort() } : {}),
    },
  }
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
