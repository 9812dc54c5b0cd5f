// The settings of an organization, read-only for everyone but admins.
import { Card, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { formatRolesFrom } from '../../parts/use-role.ts'
import { Facts } from '../../ui/facts.tsx'
import { formatList } from '../../ui/format-list.ts'
import { settingsTexts as texts } from './texts.ts'

type Settings = NonNullable<Schemas['Organization']['settings']>

const listSecurityFacts = (settings: Settings) =>
  [
    [
      texts.facts.keyLifetime,
      settings.max_key_lifetime_days
        ? texts.facts.maxDays(settings.max_key_lifetime_days)
        : texts.facts.noMaximum,
    ],
    [texts.facts.addresses, settings.allowed_addresses.join(', ') || texts.facts.anyAddress],
    [texts.facts.serviceAccounts, texts.facts.createdBy(formatRolesFrom(settings.service_account_creators))],
    [texts.facts.decisions, describeDecisions(settings)],
    [
      texts.facts.ownWork,
      settings.separate_duties ? texts.facts.ownWorkSeparate : texts.facts.ownWorkAllowed,
    ],
    [
      texts.facts.ownPolicies,
      settings.separate_policy_authors ? texts.facts.ownPoliciesSeparate : texts.facts.ownPoliciesAllowed,
    ],
    [
      texts.facts.secondPerson,
      formatList(settings.two_person_decisions.map(kind => TWO_PERSONS[kind])) || texts.facts.notRequired,
    ],
  ] as const

const TWO_PERSONS = { override: texts.facts.forOverrides, allow: texts.facts.forAllowList } as const

function describeDecisions({ decision_role, decision_groups }: Settings): string {
  const roles = formatRolesFrom(decision_role)
  return decision_groups.length === 0
    ? texts.facts.decidedBy(roles)
    : texts.facts.decidedByGroups(roles, decision_groups.join(texts.facts.or))
}

export function OrganizationFacts({ organization }: { organization: Schemas['Organization'] }) {
  const { description, features, settings } = organization
  return (
    <Card withBorder>
      <Facts
        rows={[
          [texts.facts.description, description],
          [texts.facts.controls, features.controls ? texts.facts.controlsOn : texts.facts.controlsOff],
          [
            texts.facts.readers,
            settings && (settings.public_read ? texts.facts.publicReaders : texts.facts.privateReaders),
          ],
          [
            texts.facts.logReaders,
            settings && (settings.public_log ? texts.facts.publicLog : texts.facts.privateLog),
          ],
          [texts.facts.invited, settings && (settings.mail_domains.join(', ') || texts.facts.anyEmail)],
          [texts.facts.defaultRole, settings?.default_role],
          ...(settings ? listSecurityFacts(settings) : []),
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm">
        {texts.facts.readOnly}
      </Text>
    </Card>
  )
}
