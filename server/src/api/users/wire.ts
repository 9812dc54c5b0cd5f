// API schemas of the caller's own settings.
import { type Static, Type } from 'typebox'
import { findAddressManager } from '../../domain/own-address.ts'
import { OrgName } from '../shared/fields.ts'
import { about, Closed, Described, MailAddress, Nullable, OneOf, Time, toEpoch } from '../shared/wire.ts'
import type { ProfileRow } from './email-store.ts'

export const DefaultOrg = Closed('DefaultOrg', {
  default_org_name: Nullable(
    Type.String(),
    about('Name of the default organization; null if none is set', 'acme'),
  ),
})
export const DefaultOrgPath = Closed('DefaultOrgPath', { org: OrgName })

const TIME_ZONES = ['local', 'utc'] as const

export const TimeZonePut = Closed('TimeZonePut', {
  time_zone: OneOf(
    [...TIME_ZONES],
    about('`local` for the time zone of the browser, which is the default, or `utc`', 'utc'),
  ),
})

const MAX_DISPLAY_NAME = 200

export const DisplayNamePut = Closed('DisplayNamePut', {
  display_name: Type.String({
    maxLength: MAX_DISPLAY_NAME,
    pattern: '^[^\\x00-\\x1f\\x7f]*$',
    ...about('The name that others see, in one line; if empty, the user name', 'Ada Lovelace'),
  }),
})

export const EmailPut = Closed('EmailPut', {
  email: Described(MailAddress, 'The new mail address, which gets a link', 'ada@example.com'),
})

export const Profile = Closed('Profile', {
  name: Type.String(about('Name of the user, which never changes', 'ada')),
  display_name: Nullable(
    Type.String(),
    about('The name that others see; null if none is set', 'Ada Lovelace'),
  ),
  email: Nullable(Type.String(), about('Mail address; null if there is none', 'ada@example.com')),
  email_managed_by: Nullable(
    OneOf(['single_sign_on', 'directory']),
    about('What manages the address, so that it cannot be changed here; null if nothing does', null),
  ),
  pending_email: Nullable(
    Closed('PendingEmail', {
      email: Type.String(about('The address that was sent a link', 'ada@example.com')),
      expires_at: Time('When the link stops working'),
    }),
    about('A new address that is not proved yet; null if there is none'),
  ),
})

export function toWire(row: ProfileRow): Static<typeof Profile> {
  const { name, display_name, email, pending_email, pending_expires_at } = row
  return {
    name,
    display_name,
    email,
    email_managed_by: findAddressManager(row),
    pending_email:
      pending_email === null || pending_expires_at === null
        ? null
        : { email: pending_email, expires_at: toEpoch(pending_expires_at) },
  }
}
