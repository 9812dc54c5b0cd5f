// The settings overview. It links to the pages that the user's role can open, and names the roles that can
// open the others.
import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type Role, useRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { OtherSettings } from './other-settings.tsx'
import { settingsTexts as texts } from './texts.ts'

const PAGES = [
  {
    to: '/$org/settings/organization',
    minRole: 'reader',
    label: texts.overview.organization,
    help: texts.overview.organizationHelp,
  },
  {
    to: '/$org/settings/members',
    minRole: 'reader',
    label: texts.overview.members,
    help: texts.overview.membersHelp,
  },
  {
    to: '/$org/waiting-decisions',
    minRole: 'reader',
    label: texts.overview.waitingDecisions,
    help: texts.overview.waitingDecisionsHelp,
  },
  {
    to: '/$org/settings/service-accounts',
    minRole: 'snapshotter',
    label: texts.overview.serviceAccounts,
    help: texts.overview.serviceAccountsHelp,
  },
  {
    to: '/$org/settings/trust-rules',
    minRole: 'admin',
    label: texts.overview.trustRules,
    help: texts.overview.trustRulesHelp,
  },
  {
    to: '/$org/settings/scim-tokens',
    minRole: 'admin',
    label: texts.overview.scim,
    help: texts.overview.scimHelp,
  },
  {
    to: '/$org/settings/mail-domains',
    minRole: 'admin',
    label: texts.overview.mailDomains,
    help: texts.overview.mailDomainsHelp,
  },
  {
    to: '/$org/settings/notifications',
    minRole: 'reader',
    label: texts.overview.notifications,
    help: texts.overview.notificationsHelp,
  },
  {
    to: '/$org/settings/notifications/deliveries',
    minRole: 'reader',
    label: texts.overview.deliveries,
    help: texts.overview.deliveriesHelp,
  },
  {
    to: '/$org/attestation-types',
    minRole: 'reader',
    label: texts.overview.attestationTypes,
    help: texts.overview.attestationTypesHelp,
  },
  {
    to: '/$org/settings/members/audit-log',
    minRole: 'admin',
    label: texts.overview.auditLog,
    help: texts.overview.auditLogHelp,
  },
  {
    to: '/$org/settings/audit-events',
    minRole: 'admin',
    label: texts.overview.events,
    help: texts.overview.eventsHelp,
  },
  {
    to: '/$org/proof',
    minRole: 'reader',
    label: texts.overview.proof,
    help: texts.overview.proofHelp,
  },
  {
    to: '/$org/profile',
    minRole: 'reader',
    label: texts.overview.profile,
    help: texts.overview.profileHelp,
  },
] as const satisfies readonly { minRole: Role; [text: string]: string }[]

export function SettingsPage() {
  const { org } = useParams({ from: '/$org/settings' })
  const { canSee } = useRole(org)
  const others = PAGES.filter(({ minRole }) => !canSee(minRole))
  return (
    <Stack>
      <Title order={1}>{texts.overview.title}</Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {PAGES.filter(({ minRole }) => canSee(minRole)).map(({ to, label, help }) => (
          <Card key={to} withBorder>
            <Title order={2} size="h4">
              <PageLink to={to} params={{ org }}>
                {label}
              </PageLink>
            </Title>
            <Text size="sm">{help}</Text>
          </Card>
        ))}
      </SimpleGrid>
      {others.length > 0 && (
        <Text c="dimmed">
          {texts.overview.otherRoles(
            others.map(({ label, minRole }) => texts.overview.pageForRole(label, minRole)).join(', '),
          )}
        </Text>
      )}
      <OtherSettings org={org} />
    </Stack>
  )
}
