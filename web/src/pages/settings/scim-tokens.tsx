// The SCIM tokens of an organization, which let an identity provider add, change and remove its people.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { organizationQuery, scimTokensQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { CreateScimToken } from './create-scim-token.tsx'
import { KeyExpiry } from './key-expiry.tsx'
import { TokenActions, TokenOwner } from './scim-token-actions.tsx'
import { provisioningTexts as texts } from './texts-provisioning.ts'

type ScimToken = Schemas['ScimToken']

export function ScimTokensPage() {
  const { org } = useParams({ from: '/$org/settings/scim-tokens' })
  return (
    <Stack>
      <Crumbs here={texts.scim.title}>
        <PageLink to="/$org/settings" params={{ org }}>
          {texts.crumbs.settings}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.scim.title}</Title>
      <ForRole org={org} minRole="admin" what={texts.scim.what} verb="see">
        <SharedOrgTokens org={org} />
      </ForRole>
    </Stack>
  )
}

function SharedOrgTokens({ org }: { org: string }) {
  const organization = useQuery(organizationQuery(org))
  if (organization.isPending) return <Loading />
  if (organization.error) return <ErrorAlert error={organization.error} />
  if (organization.data.kind === 'shared') return <ScimTokens org={org} />
  return <Empty title={texts.scim.personal}>{texts.scim.personalHelp}</Empty>
}

function ScimTokens({ org }: { org: string }) {
  const tokens = useQuery(scimTokensQuery(org))
  const { isAdmin } = useRole(org)
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Text>
        {texts.scim.helpBefore(org)}{' '}
        <PageLink to="/$org/settings/mail-domains" params={{ org }}>
          {texts.scim.mailDomain}
        </PageLink>{' '}
        {texts.scim.helpAfter}
      </Text>
      {isAdmin && (
        <Group>
          <Button onClick={open}>{texts.scim.create}</Button>
        </Group>
      )}
      {tokens.isPending ? (
        <Loading rows={2} />
      ) : tokens.error ? (
        <ErrorAlert error={tokens.error} />
      ) : tokens.data.length === 0 ? (
        <Empty
          title={texts.scim.empty}
          command={buildCurl('POST', buildApiPath('scim-tokens', org), {
            description: 'company directory',
          })}
        >
          {texts.scim.emptyHelp}
        </Empty>
      ) : (
        <TokenTable org={org} tokens={tokens.data} />
      )}
      {opened && <CreateScimToken org={org} onClose={close} />}
    </>
  )
}

function TokenTable({ org, tokens }: { org: string; tokens: ScimToken[] }) {
  const { isAdmin } = useRole(org)
  return (
    <DataTable
      caption={texts.scim.label}
      columns={listColumns(org, isAdmin)}
      rows={tokens}
      getKey={({ id }) => id}
    />
  )
}

/** For the API, a time of 0 means never; such rows come last. */
const listColumns = (org: string, isAdmin: boolean): Column<ScimToken>[] => [
  {
    title: texts.scim.description,
    sortBy: ({ description }) => description,
    render: ({ description }) => description,
  },
  { title: texts.scim.prefix, render: ({ hint }) => <span className="fingerprint">{hint}…</span> },
  {
    title: texts.scim.created,
    first: 'descending',
    sortBy: ({ created_at }) => created_at,
    render: ({ created_at, created_by }) => (
      <>
        <RelativeTime at={created_at} /> {texts.scim.createdBy(created_by)}
      </>
    ),
  },
  { title: texts.scim.owner, render: token => <TokenOwner token={token} /> },
  {
    title: texts.scim.lastUsed,
    first: 'descending',
    sortBy: ({ last_used_at }) => last_used_at || null,
    render: ({ last_used_at }) => <RelativeTime at={last_used_at || null} />,
  },
  {
    title: texts.scim.expires,
    sortBy: ({ expires_at }) => expires_at || null,
    render: ({ expires_at }) => <KeyExpiry expires_at={expires_at} />,
  },
  {
    title: texts.scim.actions,
    render: token => isAdmin && <TokenActions org={org} token={token} />,
  },
]
