// Organizations as the outside sees them.
import { type Static, Type } from 'typebox'
import { ORG_NAME } from '../../domain/names.ts'
import { ROLES } from '../../domain/roles.ts'
import { Closed, EpochSeconds, FreeText, OneOf, toEpoch } from '../shared/wire.ts'
import type { OrgDetails, OrgSettings } from './store.ts'

const MAX_NAME = 64
const MAX_DOMAIN = 253
const MOST_DOMAINS = 100
const MOST_BREAK_GLASS = 20
const DOMAIN = '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-]*\\.[a-zA-Z0-9\\-]{2,63}$'
/** Nobody becomes an admin without somebody's doing. */
const DEFAULT_ROLES = ['member', 'snapshotter', 'reader'] as const

export const Role = OneOf([...ROLES])
export const OrgPath = Closed('OrganizationPath', { org: Type.String() })

const Kind = OneOf(['personal', 'shared'])
const DefaultRole = OneOf([...DEFAULT_ROLES], { description: 'Of those who join by signing in' })
const MailDomain = Type.String({ pattern: DOMAIN, maxLength: MAX_DOMAIN })
const MailDomains = Type.Array(MailDomain, {
  maxItems: MOST_DOMAINS,
  description: 'Only addresses there can be invited; none means any',
})
const PublicRead = Type.Boolean({
  description: 'Anyone can read the public flows and what belongs to them without a key',
})

const SsoRequired = Type.Boolean({
  description: 'Sessions that were not made through single sign-on are answered 403; keys work',
})
const BreakGlass = Type.Array(Type.String({ maxLength: MAX_NAME }), {
  maxItems: MOST_BREAK_GLASS,
  description: 'Names of admins who may come in without single sign-on',
})

export const OrgPost = Closed('OrganizationPost', {
  name: Type.String({ pattern: ORG_NAME, maxLength: MAX_NAME }),
  description: Type.Optional(FreeText),
})

export const OrgPatch = Closed('OrganizationPatch', {
  description: Type.Optional(FreeText),
  settings: Type.Optional(
    Closed('OrganizationSettingsPatch', {
      default_role: Type.Optional(DefaultRole),
      mail_domains: Type.Optional(MailDomains),
      public_read: Type.Optional(PublicRead),
      sso_required: Type.Optional(SsoRequired),
      break_glass: Type.Optional(BreakGlass),
    }),
  ),
  features: Type.Optional(Closed('OrganizationFeatures', { controls: Type.Optional(Type.Boolean()) })),
})
export type OrgPatch = Static<typeof OrgPatch>

/** The name it has among the features. */
export const EXPERIMENTAL = 'experimental'

export const ExperimentalFeatures = Closed('ExperimentalFeaturesPut', {
  experimental_features_enabled: Type.Boolean(),
})

export const OrgDelete = Closed('OrganizationDelete', {
  confirm: Type.String({ description: 'The name of the organization' }),
})

export const OwnOrg = Closed('OwnOrganization', {
  name: Type.String(),
  kind: Kind,
  role: Role,
  description: Type.String(),
})

export const Org = Closed('Organization', {
  name: Type.String(),
  kind: Kind,
  description: Type.String(),
  created_at: EpochSeconds,
  features: Type.Record(Type.String(), Type.Boolean()),
  experimental_features_enabled: Type.Boolean(),
  settings: Type.Optional(
    Closed(
      'OrganizationSettings',
      {
        default_role: DefaultRole,
        mail_domains: MailDomains,
        public_read: PublicRead,
        sso_required: SsoRequired,
        break_glass: BreakGlass,
      },
      { description: 'Only told to those who belong to it' },
    ),
  ),
})

export const OrgDeletion = Closed('OrganizationDeletion', {
  name: Type.String(),
  delete_requested_at: EpochSeconds,
  delete_after: Type.Number({ description: 'Until then an operator can restore it; in epoch seconds' }),
})

export const settingsOf = (chosen: OrgSettings) => ({
  default_role: chosen.default_role ?? ('reader' as const),
  mail_domains: chosen.mail_domains ?? [],
  public_read: chosen.public_read ?? false,
  sso_required: chosen.sso_required ?? false,
  break_glass: chosen.break_glass ?? [],
})

export function toWire(row: OrgDetails): Static<typeof Org> {
  return {
    name: row.name,
    kind: row.kind === 'personal' ? 'personal' : 'shared',
    description: row.description,
    created_at: toEpoch(row.created_at),
    features: row.features,
    experimental_features_enabled: row.features[EXPERIMENTAL] === true,
    settings: settingsOf(row.settings),
  }
}
