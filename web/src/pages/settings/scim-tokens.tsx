// Tokens for an identity provider that adds, changes and removes the people of an org by SCIM.
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
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { CreateScimToken } from './create-scim-token.tsx'
import { KeyExpiry } from './key-expiry.tsx'
import { scimTokensQuery } from './queries.ts'

type ScimToken = Schemas['ScimToken']

export function ScimTokensPage() {
  const { org } = useParams({ from: '/$org/settings/scim-tokens' })
  return (
    <Stack>
      <Crumbs here="Directory">
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
      </Crumbs>
      <Title order={1}>Directory</Title>
      <ForRole org={org} minRole="admin" what="the tokens of the directory" verb="see">
        <OfSharedOrg org={org} />
      </ForRole>
    </Stack>
  )
}

function OfSharedOrg({ org }: { org: string }) {
  const organization = useQuery(organizationQuery(org))
  if (organization.isPending) return <Loading />
  if (organization.error) return <ErrorAlert error={organization.error} />
  if (organization.data.kind === 'shared') return <ScimTokens org={org} />
  return (
    <Empty title="A personal organization has nobody to provision">A shared one can have a directory.</Empty>
  )
}

function ScimTokens({ org }: { org: string }) {
  const tokens = useQuery(scimTokensQuery(org))
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Text>
        An identity provider with such a token adds, changes and removes people of {org} by itself. It is good
        for nothing else. People with addresses in a proved{' '}
        <PageLink to="/$org/settings/mail-domains" params={{ org }}>
          mail domain
        </PageLink>{' '}
        become members at once; everyone else is invited.
      </Text>
      <Group>
        <Button onClick={open}>New token</Button>
      </Group>
      {tokens.isPending ? (
        <Loading rows={2} />
      ) : tokens.error ? (
        <ErrorAlert error={tokens.error} />
      ) : tokens.data.length === 0 ? (
        <Empty
          title="No tokens"
          command={buildCurl('POST', buildApiPath('scim-tokens', org), {
            description: 'directory of the company',
          })}
        >
          People come by invitation, or by signing in.
        </Empty>
      ) : (
        <TokenTable org={org} tokens={tokens.data} />
      )}
      {opened && <CreateScimToken org={org} onClose={close} />}
    </>
  )
}

function TokenTable({ org, tokens }: { org: string; tokens: ScimToken[] }) {
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table aria-label="Tokens">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>For</Table.Th>
            <Table.Th>Begins with</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Th>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map(({ id, description, hint, created_by, created_at, last_used_at, expires_at }) => (
            <Table.Tr key={id}>
              <Table.Td>{description}</Table.Td>
              <Table.Td className="fingerprint">{hint}…</Table.Td>
              <Table.Td>
                <RelativeTime at={created_at} /> by {created_by}
              </Table.Td>
              <Table.Td>
                <RelativeTime at={last_used_at || null} />
              </Table.Td>
              <Table.Td>
                <KeyExpiry expires_at={expires_at} />
              </Table.Td>
              <Table.Td>
                <RevokeToken org={org} token_id={id} about={`${description} (${hint}…)`} />
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
    { notice: 'The token is revoked' },
  )
  return (
    <ConfirmButton
      label="Revoke"
      about={about}
      question="The identity provider is refused from now on. Whom it brought stays."
      change={revoke}
      input={undefined}
    />
  )
}
