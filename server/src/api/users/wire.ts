// API schemas of the caller's own settings.
import { Type } from 'typebox'
import { Closed, Nullable } from '../shared/wire.ts'

export const DefaultOrg = Closed('DefaultOrg', { default_org_name: Nullable(Type.String()) })
export const DefaultOrgPath = Closed('DefaultOrgPath', { org: Type.String() })
