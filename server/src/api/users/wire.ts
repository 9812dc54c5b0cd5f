// API schemas of the caller's own settings.
import { Type } from 'typebox'
import { OrgName } from '../shared/fields.ts'
import { about, Closed, Nullable } from '../shared/wire.ts'

export const DefaultOrg = Closed('DefaultOrg', {
  default_org_name: Nullable(
    Type.String(),
    about('Name of the default organization; null if none is set', 'acme'),
  ),
})
export const DefaultOrgPath = Closed('DefaultOrgPath', { org: OrgName })
