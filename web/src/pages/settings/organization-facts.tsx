// An organization as those see it who may not change it.
import { Card, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { formatRolesFrom } from '../../parts/use-role.ts'
import { Facts } from '../../ui/facts.tsx'
import { formatList } from '../../ui/format-list.ts'

type Settings = NonNullable<Schemas['Organization']['settings']>

const securityFacts = (settings: Settings) =>
  [
    [
      'Keys live',
      settings.max_key_lifetime_days ? `at most ${settings.max_key_lifetime_days} days` : 'without a maximum',
    ],
    ['Members come from', settings.allowed_addresses.join(', ') || 'any address'],
    ['Service accounts', `created by ${formatRolesFrom(settings.service_account_creators)}`],
    ['Decisions', decisionsOf(settings)],
    ['Own work', settings.separate_duties ? 'overridden by somebody else' : 'may be overridden'],
    [
      'Two persons',
      formatList(settings.two_person_decisions.map(kind => TWO_PERSONS[kind])) || 'not required',
    ],
  ] as const

const TWO_PERSONS = { override: 'for overrides', allow: 'for allow-list entries' } as const

function decisionsOf({ decision_role, decision_groups }: Settings): string {
  const by = `by ${formatRolesFrom(decision_role)}`
  return decision_groups.length === 0 ? by : `${by} in ${decision_groups.join(' or ')}`
}

export function OrganizationFacts({ organization }: { organization: Schemas['Organization'] }) {
  const { description, features, settings } = organization
  return (
    <Card withBorder>
      <Facts
        rows={[
          ['Description', description],
          ['Controls', features.controls ? 'switched on' : 'switched off'],
          [
            'Readers',
            settings && (settings.public_read ? 'members; anyone for flows marked public' : 'members'),
          ],
          ['Can be invited', settings && (settings.mail_domains.join(', ') || 'any mail address')],
          ['Who joins is', settings?.default_role],
          ...(settings ? securityFacts(settings) : []),
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm">
        Only admins change this, export the organization or delete it.
      </Text>
    </Card>
  )
}
