// The SCIM tokens of an organization, which let an identity provider add, change and remove its people.
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { organizationQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { CreateScimToken } from './create-scim-token.tsx'
import { KeyExpiry } from './key-expiry.tsx'
import { scimTokensQuery } from './queries.ts'
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
    <Table.ScrollContainer minWidth={760}>
      <Table aria-label={texts.scim.label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.scim.description}</Table.Th>
            <Table.Th>{texts.scim.prefix}</Table.Th>
            <Table.Th>{texts.scim.created}</Table.Th>
            <Table.Th>{texts.scim.lastUsed}</Table.Th>
            <Table.Th>{texts.scim.expires}</Table.Th>
            <Table.Th>{texts.scim.actions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map(({ id, description, hint, created_by, created_at, last_used_at, expires_at }) => (
            <Table.Tr key={id}>
              <Table.Td>{description}</Table.Td>
              <Table.Td className="fingerprint">{hint}…</Table.Td>
              <Table.Td>
                <RelativeTime at={created_at} /> {texts.scim.createdBy(created_by)}
              </Table.Td>
              <Table.Td>
                <RelativeTime at={last_used_at || null} />
              </Table.Td>
              <Table.Td>
                <KeyExpiry expires_at={expires_at} />
              </Table.Td>
              <Table.Td>
                {isAdmin && (
                  <RevokeToken org={org} token_id={id} about={texts.scim.named(description, hint)} />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function RevokeToken({ org, token_id, about }: { org: string; token_id: string; about: string }) {
  const revoke = useChange(
    () => unwrap(api.DELETE('/scim-tokens/{org}/{token_id}', { params: { path: { org, token_id } } })),
    { notice: texts.scim.revoked },
  )
  return (
    <ConfirmButton
      label={texts.scim.revoke}
      about={about}
      question={texts.scim.revokeQuestion}
      change={revoke}
      input={undefined}
    />
  )
}
