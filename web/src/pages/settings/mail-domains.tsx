// The mail domains of an organization: people in a verified domain become members as soon as SCIM adds them.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { organizationQuery } from '../../parts/queries.ts'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { ClaimMailDomain } from './claim-mail-domain.tsx'
import { MailDomainCard } from './mail-domain-card.tsx'
import { mailDomainsQuery } from './queries.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'

export function MailDomainsPage() {
  const { org } = useParams({ from: '/$org/settings/mail-domains' })
  return (
    <Stack>
      <Crumbs here={texts.mailDomains.title}>
        <PageLink to="/$org/settings" params={{ org }}>
          {texts.crumbs.settings}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.mailDomains.title}</Title>
      <ForRole org={org} minRole="admin" what={texts.mailDomains.what} verb="see">
        <SharedOrgDomains org={org} />
      </ForRole>
    </Stack>
  )
}

function SharedOrgDomains({ org }: { org: string }) {
  const organization = useQuery(organizationQuery(org))
  if (organization.isPending) return <Loading />
  if (organization.error) return <ErrorAlert error={organization.error} />
  if (organization.data.kind === 'shared') return <MailDomains org={org} />
  return <Empty title={texts.mailDomains.personal}>{texts.mailDomains.personalHelp}</Empty>
}

function MailDomains({ org }: { org: string }) {
  const domains = useQuery(mailDomainsQuery(org))
  const { isAdmin } = useRole(org)
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Text>
        {texts.mailDomains.helpBefore(org)}{' '}
        <PageLink to="/$org/settings/scim-tokens" params={{ org }}>
          {texts.mailDomains.scim}
        </PageLink>{' '}
        {texts.mailDomains.helpAfter}
      </Text>
      {isAdmin && (
        <Group>
          <Button onClick={open}>{texts.mailDomains.claim}</Button>
        </Group>
      )}
      {domains.isPending ? (
        <Loading rows={2} />
      ) : domains.error ? (
        <ErrorAlert error={domains.error} />
      ) : domains.data.length === 0 ? (
        <Empty
          title={texts.mailDomains.empty}
          command={buildCurl('PUT', buildApiPath('mail-domains', org, 'example.com'))}
        >
          {texts.mailDomains.emptyHelp}
        </Empty>
      ) : (
        domains.data.map(domain => <MailDomainCard key={domain.domain} org={org} domain={domain} />)
      )}
      {opened && <ClaimMailDomain org={org} onClose={close} />}
    </>
  )
}
