// PATCH /organizations/{org}: changes the settings of an organization.
import { invalid } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { checkAddresses, isAllowedAddress } from '../shared/allowed-addresses.ts'
import { OrgPath } from '../shared/fields.ts'
import type { OrgDetails } from '../shared/org-details-store.ts'
import { changeOrg } from './change.ts'
import { Org, OrgPatch, toWire } from './wire.ts'

export const patchOrg = defineOperation(
  {
    id: 'patchOrganization',
    method: 'PATCH',
    path: '/organizations/{org}',
    tag: 'Organizations',
    summary: 'Change an organization',
    description: 'Omitted fields keep their values. A list is replaced as a whole.',
    access: 'admin',
    recheck_caller: true,
    audit: 'org_changed',
    params: OrgPath,
    body: OrgPatch,
    returns: Org,
    fails: [400, 403],
    example: {
      body: { description: 'What the platform team ships', settings: { mail_domains: ['example.com'] } },
    },
  },
  async (request, deps) => {
    const { body, caller, address } = request
    const allowed = checkAddresses(body.settings?.allowed_addresses, 'settings.allowed_addresses')
    if (!isAllowedAddress(allowed, address)) {
      throw invalid({
        'settings.allowed_addresses': `Input should include ${address}, the address of this request by ${caller.name}, or you would lock yourself out`,
      })
    }
    return toWire(await changeOrg(request, deps, before => applyPatch(before, body)))
  },
)

function applyPatch(before: OrgDetails, { description, settings, features }: OrgPatch): OrgDetails {
  const domains = settings?.mail_domains?.map(domain => domain.toLowerCase())
  return {
    ...before,
    description: description ?? before.description,
    features: { ...before.features, ...features },
    settings: {
      ...before.settings,
      ...settings,
      ...(domains ? { mail_domains: [...new Set(domains)].sort() } : {}),
      ...(settings?.break_glass ? { break_glass: [...new Set(settings.break_glass)].sort() } : {}),
    },
  }
}
