// All settings of an org, each with a sentence. What somebody may not open is not offered; below is said who can.
import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type Role, useRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Elsewhere } from './elsewhere.tsx'

const PAGES = [
  {
    to: '/$org/settings/organization',
    least: 'reader',
    label: 'Organization',
    what: 'Its description, features and security: who may read it, who may be invited, how long keys live, who decides. Usage, export and deletion.',
  },
  {
    to: '/$org/settings/members',
    least: 'reader',
    label: 'Members',
    what: 'The people of the organization, what each may do, and who is invited.',
  },
  {
    to: '/$org/waiting-decisions',
    least: 'reader',
    label: 'Waiting decisions',
    what: 'Overrides and allow-list entries that a second person has to confirm.',
  },
  {
    to: '/$org/settings/service-accounts',
    least: 'snapshotter',
    label: 'Service accounts',
    what: 'Accounts for programs, and their API keys.',
  },
  {
    to: '/$org/settings/trust-rules',
    least: 'admin',
    label: 'Builds without keys',
    what: 'Which CI jobs get a key for a quarter of an hour, by the token that their CI system gives them.',
  },
  {
    to: '/$org/settings/scim-tokens',
    least: 'admin',
    label: 'Directory',
    what: 'Tokens for an identity provider that adds, changes and removes people by SCIM.',
  },
  {
    to: '/$org/settings/mail-domains',
    least: 'admin',
    label: 'Mail domains',
    what: 'Domains whose people become members as soon as the directory adds them; everyone else is invited.',
  },
  {
    to: '/$org/settings/notifications',
    least: 'reader',
    label: 'Notifications',
    what: 'Who is told of what, by mail, chat or webhook, and before a key ends.',
  },
  {
    to: '/$org/settings/notifications/deliveries',
    least: 'reader',
    label: 'What was sent',
    what: 'Each message, each attempt at it, and the way to send it again.',
  },
  {
    to: '/$org/attestation-types',
    least: 'reader',
    label: 'Attestation types',
    what: 'Kinds of evidence of your own: what they look like, and when they count.',
  },
  {
    to: '/$org/settings/members/audit-log',
    least: 'admin',
    label: 'Membership log',
    what: 'Who came, who went, and whose role changed.',
  },
  {
    to: '/$org/settings/audit-events',
    least: 'admin',
    label: 'Events',
    what: 'Who changed what, and when.',
  },
  {
    to: '/$org/profile',
    least: 'reader',
    label: 'Your profile',
    what: 'Your own API keys, the browsers you are signed in with, your organizations.',
  },
] as const satisfies readonly { least: Role; [text: string]: string }[]

export function SettingsPage() {
  const { org } = useParams({ from: '/$org/settings' })
  const { hasRole } = useRole(org)
  const others = PAGES.filter(({ least }) => !hasRole(least))
  return (
    <Stack>
      <Title order={1}>Settings</Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {PAGES.filter(({ least }) => hasRole(least)).map(({ to, label, what }) => (
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
      {others.length > 0 && (
        <Text c="dimmed">
          Not for your role: {others.map(({ label, least }) => `${label} (${least}s)`).join(', ')}. Ask an
          admin of the organization.
        </Text>
      )}
      <Elsewhere org={org} />
    </Stack>
  )
}
