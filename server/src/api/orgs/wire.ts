// API schemas of organizations.
import { type Static, Type } from 'typebox'
import { ORG_NAME } from '../../domain/names.ts'
import type { OrgSettings } from '../../domain/org-settings.ts'
import { ROLES, STEPS } from '../../domain/roles.ts'
import { EXAMPLE_TIME } from '../shared/examples.ts'
import { AllowedAddresses, CreatedAt } from '../shared/fields.ts'
import { DEFAULT_LEAVER_GRACE_DAYS } from '../shared/membership-store.ts'
import type { OrgDetails } from '../shared/org-details-store.ts'
import { about, Closed, Described, FreeText, Nullable, OneOf, Time, toEpoch } from '../shared/wire.ts'

const MAX_NAME = 64
const MAX_DOMAIN = 253
const MAX_DOMAINS = 100
const MAX_BREAK_GLASS = 20
const DOMAIN = '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-]*\\.[a-zA-Z0-9\\-]{2,63}$'
/** Without admin: only an admin can make someone an admin. */
const DEFAULT_ROLES = ['member', 'snapshotter', 'reader'] as const

export const Role = OneOf(
  [...ROLES],
  about('Role in the organization; an auditor reads everything and changes nothing', 'member'),
)

const Kind = OneOf(['personal', 'shared'])
const DefaultRole = OneOf([...DEFAULT_ROLES], { description: 'Role of people who join by signing in' })
const MailDomain = Type.String({ pattern: DOMAIN, maxLength: MAX_DOMAIN })
const MailDomains = Type.Array(MailDomain, {
  maxItems: MAX_DOMAINS,
  ...about('Only addresses in these domains can be invited; empty means any', ['example.com']),
})
const PublicRead = Type.Boolean({
  description: 'Whether anyone can read public flows and their contents without a key',
})
const PublicLog = Type.Boolean({
  description:
    'Whether anyone can read the log without a key: checkpoints, leaves, proofs and keys, but not what the leaves are about',
})

const MAX_LIFETIME_DAYS = 3650
const MAX_GRACE_DAYS = 90
const MAX_GROUPS = 100

const SECURITY = {
  max_key_lifetime_days: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIFETIME_DAYS,
      ...about(
        'Maximum lifetime of new service account keys in days. Personal keys are accepted for this many days after their ' +
          'creation. Null for no maximum',
        365,
      ),
    }),
  ),
  allowed_addresses: AllowedAddresses,
  service_account_creators: OneOf(
    [...STEPS],
    about('The minimum role that may create service accounts', 'admin'),
  ),
  decision_role: OneOf(
    ['member', 'admin'],
    about(
      'The minimum role that may override attestations, approve artifacts and add to allow-lists',
      'member',
    ),
  ),
  decision_groups: Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
    maxItems: MAX_GROUPS,
    uniqueItems: true,
    ...about(
      'Only people in one of these SCIM groups may make such decisions; empty means that no group is needed',
      ['release-managers'],
    ),
  }),
  separate_duties: Type.Boolean(
    about(
      'People may not override or approve what they have reported themselves, or through a service account that ' +
        'they own or have made a key of',
      false,
    ),
  ),
  separate_policy_authors: Type.Boolean(
    about(
      'People who wrote, attached or detached a policy need a second person to override an attestation, or to add to an ' +
        'allow-list where the policy is or was in force',
      false,
    ),
  ),
  two_person_decisions: Type.Array(OneOf(['override', 'allow']), {
    maxItems: 2,
    uniqueItems: true,
    ...about(
      'Decisions that take effect only when a second person sends the same request: overrides of attestations, entries in allow-lists',
      ['override'],
    ),
  }),
  leaver_grace_days: Type.Integer({
    minimum: 0,
    maximum: MAX_GRACE_DAYS,
    ...about('Days for which the keys of a service account keep working after its owner leaves', 7),
  }),
  sso_required: Type.Boolean({
    description: 'Whether sessions need single sign-on: others get 403, and API keys keep working',
  }),
  break_glass: Type.Array(Type.String({ maxLength: MAX_NAME }), {
    maxItems: MAX_BREAK_GLASS,
    ...about('Names of admins who may sign in without single sign-on', ['ada']),
  }),
}

export const OrgPost = Closed('OrganizationPost', {
  name: Type.String({
    pattern: ORG_NAME,
    maxLength: MAX_NAME,
    ...about('Name of the organization, unique in the service', 'acme'),
  }),
  description: Type.Optional(
    Described(FreeText, 'Description of the organization', 'Everything that acme delivers'),
  ),
})

export const OrgPatch = Closed('OrganizationPatch', {
  description: Type.Optional(
    Described(FreeText, 'Description of the organization', 'Everything that acme delivers'),
  ),
  settings: Type.Optional(
    Closed(
      'OrganizationSettingsPatch',
      {
        default_role: Type.Optional(DefaultRole),
        mail_domains: Type.Optional(MailDomains),
        public_read: Type.Optional(PublicRead),
        public_log: Type.Optional(PublicLog),
        max_key_lifetime_days: Type.Optional(SECURITY.max_key_lifetime_days),
        allowed_addresses: Type.Optional(SECURITY.allowed_addresses),
        service_account_creators: Type.Optional(SECURITY.service_account_creators),
        leaver_grace_days: Type.Optional(SECURITY.leaver_grace_days),
        decision_role: Type.Optional(SECURITY.decision_role),
        decision_groups: Type.Optional(SECURITY.decision_groups),
        separate_duties: Type.Optional(SECURITY.separate_duties),
        separate_policy_authors: Type.Optional(SECURITY.separate_policy_authors),
        two_person_decisions: Type.Optional(SECURITY.two_person_decisions),
        sso_required: Type.Optional(SECURITY.sso_required),
        break_glass: Type.Optional(SECURITY.break_glass),
      },
      about('Settings of the organization'),
    ),
  ),
  features: Type.Optional(
    Closed(
      'OrganizationFeatures',
      { controls: Type.Optional(Type.Boolean(about('Whether controls are enabled', true))) },
      about('Optional features, by name', { controls: true }),
    ),
  ),
})
export type OrgPatch = Static<typeof OrgPatch>

/** Its key in `features`. */
export const EXPERIMENTAL = 'experimental'

export const ExperimentalFeatures = Closed('ExperimentalFeaturesPut', {
  experimental_features_enabled: Type.Boolean(about('Whether experimental features are enabled', false)),
})

export const OrgDelete = Closed('OrganizationDelete', {
  confirm: Type.String({ description: 'The name of the organization' }),
})

export const OwnOrg = Closed('OwnOrganization', {
  name: Type.String(about('Name of the organization, unique in the service', 'acme')),
  kind: Described(Kind, 'Whether the organization is personal or shared', 'shared'),
  role: Role,
  description: Type.String(about('Description of the organization', 'Everything that acme delivers')),
})

const Count = (state: string) => Type.Integer({ minimum: 0, ...about(`Number of ${state} environments`, 3) })

export const OrgWithState = Closed('OrganizationWithState', {
  name: Type.String(about('Name of the organization, unique in the service', 'acme')),
  kind: Described(Kind, 'Whether the organization is personal or shared', 'shared'),
  role: Role,
  environments: Nullable(
    Closed('EnvironmentCounts', {
      compliant: Count('compliant'),
      non_compliant: Count('non-compliant'),
      unknown: Count('unknown'),
      stale: Count('stale'),
    }),
    about('Environments that are not archived, by state; null if the organization would refuse this request'),
  ),
  last_activity_at: Nullable(
    Type.Number(),
    about(
      'When something was last recorded there, in epoch seconds; null if nothing was, or if `environments` is null',
      EXAMPLE_TIME,
    ),
  ),
})

export const Org = Closed('Organization', {
  name: Type.String(about('Name of the organization, unique in the service', 'acme')),
  kind: Described(Kind, 'Whether the organization is personal or shared', 'shared'),
  description: Type.String(about('Description of the organization', 'Everything that acme delivers')),
  created_at: CreatedAt,
  features: Type.Record(
    Type.String(),
    Type.Boolean(),
    about('Optional features, by name', { controls: true }),
  ),
  experimental_features_enabled: Type.Boolean(about('Whether experimental features are enabled', false)),
  settings: Type.Optional(
    Closed(
      'OrganizationSettings',
      {
        default_role: DefaultRole,
        mail_domains: MailDomains,
        public_read: PublicRead,
        public_log: PublicLog,
        ...SECURITY,
      },
      { description: 'Settings of the organization; only returned to members' },
    ),
  ),
})

export const OrgDeletion = Closed('OrganizationDeletion', {
  name: Type.String(about('Name of the organization, unique in the service', 'acme')),
  delete_requested_at: Time('Time when the deletion was requested'),
  delete_after: Type.Number(
    about('Time of the deletion, in epoch seconds; an operator can restore it until then', 1_775_131_200),
  ),
})

export const toWireSettings = (settings: OrgSettings) => ({
  default_role: settings.default_role ?? ('reader' as const),
  mail_domains: settings.mail_domains ?? [],
  public_read: settings.public_read ?? false,
  public_log: settings.public_log ?? false,
  max_key_lifetime_days: settings.max_key_lifetime_days ?? null,
  allowed_addresses: settings.allowed_addresses ?? [],
  service_account_creators: settings.service_account_creators ?? ('admin' as const),
  leaver_grace_days: settings.leaver_grace_days ?? DEFAULT_LEAVER_GRACE_DAYS,
  decision_role: settings.decision_role === 'admin' ? ('admin' as const) : ('member' as const),
  decision_groups: settings.decision_groups ?? [],
  separate_duties: settings.separate_duties ?? false,
  separate_policy_authors: settings.separate_policy_authors ?? false,
  two_person_decisions: settings.two_person_decisions ?? [],
  sso_required: settings.sso_required ?? false,
  break_glass: settings.break_glass ?? [],
})

export function toWire(row: OrgDetails): Static<typeof Org> {
  return {
    name: row.name,
    kind: row.kind === 'personal' ? 'personal' : 'shared',
    description: row.description,
    created_at: toEpoch(row.created_at),
    features: row.features,
    experimental_features_enabled: row.features[EXPERIMENTAL] === true,
    settings: toWireSettings(row.settings),
  }
}
