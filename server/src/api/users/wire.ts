// The caller's own settings as the outside sees them.
import { Type } from 'typebox'
import { Closed, Nullable } from '../shared/wire.ts'

export const DefaultOrg = Closed('DefaultOrg', { default_org_name: Nullable(Type.String()) })
export const DefaultOrgPath = Closed('DefaultOrgPath', { org: Type.String() })
