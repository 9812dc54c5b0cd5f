// API schemas of the caller's own settings.
import { Type } from 'typebox'
import { OrgName } from '../shared/fields.ts'
import { about, Closed, Nullable, OneOf } from '../shared/wire.ts'

export const DefaultOrg = Closed('DefaultOrg', {
  default_org_name: Nullable(
    Type.String(),
    about('Name of the default organization; null if none is set', 'acme'),
  ),
})
export const DefaultOrgPath = Closed('DefaultOrgPath', { org: OrgName })

export const TIME_ZONES = ['local', 'utc'] as const

export const TimeZonePut = Closed('TimeZonePut', {
  time_zone: OneOf(
    [...TIME_ZONES],
    about('`local` for the time zone of the browser, which is the default, or `utc`', 'utc'),
  ),
})
