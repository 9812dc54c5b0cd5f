// An organization as those see it who may not change it.
import { Card, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { Facts } from '../../ui/facts.tsx'

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
          ['Mail domains', settings && (settings.mail_domains.join(', ') || 'any can be invited')],
          ['Who joins is', settings?.default_role],
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm">
        Only admins change this, export the organization or delete it.
      </Text>
    </Card>
  )
}
