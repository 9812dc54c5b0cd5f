// All settings of an org, each with a sentence.
import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { PageLink } from '../../ui/page-link.tsx'

const PAGES = [
  {
    to: '/$org/settings/organization',
    label: 'Organization',
    what: 'Its description, who may read it, who may be invited; export and deletion.',
  },
  {
    to: '/$org/settings/notifications',
    label: 'Notifications',
    what: 'Who is told of what, by mail, chat or webhook, and what became of each message.',
  },
  {
    to: '/$org/settings/service-accounts',
    label: 'Service accounts',
    what: 'Accounts for programs, and their API keys.',
  },
  {
    to: '/$org/settings/members',
    label: 'Members',
    what: 'The people of the organization, what each may do, and who is invited.',
  },
  {
    to: '/$org/settings/audit-events',
    label: 'Events',
    what: 'Who changed what, and when.',
  },
  {
    to: '/$org/profile',
    label: 'Your profile',
    what: 'Your own API keys, the browsers you are signed in with, the organization you start in.',
  },
] as const

export function SettingsPage() {
  const { org } = useParams({ from: '/$org/settings' })
  return (
    <Stack>
      <Title order={1}>Settings</Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {PAGES.map(({ to, label, what }) => (
          <Card key={to} withBorder>
            <Title order={2} size="h4">
              <PageLink to={to} params={{ org }}>
                {label}
              </PageLink>
            </Title>
            <Text size="sm">{what}</Text>
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
