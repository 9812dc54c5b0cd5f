// The mail domains that an organization claims: people in a proved one become members as soon as its directory adds them.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { organizationQuery } from '../../parts/queries.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { ClaimMailDomain } from './claim-mail-domain.tsx'
import { MailDomainCard } from './mail-domain-card.tsx'
import { mailDomainsQuery } from './queries.ts'

export function MailDomainsPage() {
  const { org } = useParams({ from: '/$org/settings/mail-domains' })
  return (
    <Stack>
      <Crumbs here="Mail domains">
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
      </Crumbs>
      <Title order={1}>Mail domains</Title>
      <ForRole org={org} minRole="admin" what="mail domains" verb="see">
        <OfSharedOrg org={org} />
      </ForRole>
    </Stack>
  )
}

function OfSharedOrg({ org }: { org: string }) {
  const organization = useQuery(organizationQuery(org))
  if (organization.isPending) return <Loading />
  if (organization.error) return <ErrorAlert error={organization.error} />
  if (organization.data.kind === 'shared') return <MailDomains org={org} />
  return (
    <Empty title="A personal organization has no mail domains">
      They are for shared organizations, whose members come from a directory.
    </Empty>
  )
}

function MailDomains({ org }: { org: string }) {
  const domains = useQuery(mailDomainsQuery(org))
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Text>
        Prove with a DNS record that a mail domain belongs to {org}. The{' '}
        <PageLink to="/$org/settings/scim-tokens" params={{ org }}>
          directory
        </PageLink>{' '}
        then makes people with addresses there members at once. Everyone else it adds is invited.
      </Text>
      <Group>
        <Button onClick={open}>Claim a domain</Button>
      </Group>
      {domains.isPending ? (
        <Loading rows={2} />
      ) : domains.error ? (
        <ErrorAlert error={domains.error} />
      ) : domains.data.length === 0 ? (
        <Empty
          title="No mail domains yet"
          command={buildCurl('PUT', buildApiPath('mail-domains', org, 'example.com'))}
        >
          Until a domain is proved, everyone whom the directory adds gets an invitation by mail and is a
          member once they accept it.
        </Empty>
      ) : (
        domains.data.map(domain => <MailDomainCard key={domain.domain} org={org} domain={domain} />)
      )}
      {opened && <ClaimMailDomain org={org} onClose={close} />}
    </>
  )
}
