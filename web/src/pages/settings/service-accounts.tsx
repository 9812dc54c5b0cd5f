// The service accounts of an org, and the way to make one.
import { Button, Group, Modal, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { api, sessionQuery, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { organizationQuery } from '../../parts/queries.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { formatRolesFrom, type Role, useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { OwnerCell } from './account-owner.tsx'
import { serviceAccountsQuery } from './queries.ts'
import { type AccountDraft, type ServiceAccount, ServiceAccountForm } from './service-account-form.tsx'

const PAGE = '/$org/settings/service-accounts'

export function ServiceAccountsPage() {
  const { org } = useParams({ from: PAGE })
  return (
    <Stack>
      <Crumbs here="Service accounts">
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
      </Crumbs>
      <Title order={1}>Service accounts</Title>
      <ForRole org={org} minRole="snapshotter" what="service accounts" verb="see">
        <OfSharedOrg org={org} />
      </ForRole>
    </Stack>
  )
}

function OfSharedOrg({ org }: { org: string }) {
  const organization = useQuery(organizationQuery(org))
  if (organization.isPending) return <Loading />
  if (organization.error) return <ErrorAlert error={organization.error} />
  if (organization.data.kind === 'shared')
    return (
      <FoundAccounts org={org} creators={organization.data.settings?.service_account_creators ?? 'admin'} />
    )
  return (
    <Empty title="A personal organization has no service accounts">
      Programs that report here use a key of your own, from{' '}
      <PageLink to="/$org/profile" params={{ org }}>
        your profile
      </PageLink>
      . Service accounts exist in shared organizations only.
    </Empty>
  )
}

/** `creators` is the least role that may create accounts. */
function FoundAccounts({ org, creators }: { org: string; creators: Role }) {
  const { name } = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const mayCreate = useRole(org).hasRole(creators)
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Group justify="space-between" align="end">
        <TextFilter
          label="Name contains"
          value={name}
          onChange={text => void navigate({ search: dropUndefined({ name: text }), replace: true })}
        />
        {mayCreate && <Button onClick={open}>New service account</Button>}
      </Group>
      {!mayCreate && <Text c="dimmed">Here, only {formatRolesFrom(creators)} create service accounts.</Text>}
      <Accounts org={org} name={name ?? ''} />
      <Modal
        opened={opened}
        onClose={close}
        title="New service account"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <CreateAccount org={org} />
      </Modal>
    </>
  )
}

function Accounts({ org, name }: { org: string; name: string }) {
  const accounts = useQuery(serviceAccountsQuery(org))
  if (accounts.isPending) return <Loading />
  if (accounts.error) return <ErrorAlert error={accounts.error} />
  const shown = accounts.data.filter(each =>
    [each.name, each.display_name].some(text => text.toLowerCase().includes(name.toLowerCase())),
  )
  if (shown.length > 0) return <AccountTable org={org} accounts={shown.toSorted(mostUrgentFirst)} />
  const body = { name: 'pipeline', privilege: 'member' }
  return (
    <Empty
      title={name === '' ? 'No service accounts yet' : 'No service account has such a name'}
      command={buildCurl('POST', buildApiPath('service-accounts', org), body)}
    >
      A service account is an identity for a program: a pipeline, or what reports on a cluster.
    </Empty>
  )
}

/** Those whose keys stop first, then by name, as the server has them. */
const mostUrgentFirst = (a: ServiceAccount, b: ServiceAccount) =>
  (a.keys_stop_at ?? Number.MAX_VALUE) - (b.keys_stop_at ?? Number.MAX_VALUE)

function AccountTable({ org, accounts }: { org: string; accounts: ServiceAccount[] }) {
  return (
    <Table.ScrollContainer minWidth={680}>
      <Table highlightOnHover aria-label="Service accounts">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>Owner</Table.Th>
            <Table.Th>What it is for</Table.Th>
            <Table.Th>Made</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {accounts.map(account => (
            <AccountRow key={account.name} org={org} account={account} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function AccountRow({ org, account }: { org: string; account: ServiceAccount }) {
  const { name, display_name, privilege, description, created_at } = account
  return (
    <Table.Tr>
      <Table.Td>
        <PageLink to="/$org/settings/service-accounts/$name" params={{ org, name }}>
          {name}
        </PageLink>
        {display_name !== name && (
          <Text size="sm" c="dimmed">
            {display_name}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{privilege}</Table.Td>
      <Table.Td>
        <OwnerCell org={org} account={account} />
      </Table.Td>
      <Table.Td>{description}</Table.Td>
      <Table.Td>
        <RelativeTime at={created_at} />
      </Table.Td>
    </Table.Tr>
  )
}

const NEW_ACCOUNT = { name: '', display_name: '', description: '', privilege: 'reader' } as const

function CreateAccount({ org }: { org: string }) {
  const navigate = useNavigate()
  const { isAdmin } = useRole(org)
  const { data: session } = useQuery(sessionQuery)
  const create = useChange(
    (body: AccountDraft) => unwrap(api.POST('/service-accounts/{org}', { params: { path: { org } }, body })),
    {
      onDone: ({ name }) => navigate({ to: '/$org/settings/service-accounts/$name', params: { org, name } }),
      notice: ({ name }) => `${name} is created`,
    },
  )
  return (
    <ServiceAccountForm
      org={org}
      initial={{ ...NEW_ACCOUNT, ...(isAdmin && session && { owner: session.user }) }}
      isNew
      action="Create the account"
      isPending={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
    />
  )
}
