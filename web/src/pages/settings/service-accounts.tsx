// The service accounts of an org, and the way to make one.
import { Button, Group, Modal, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { answered, api } from '../../api.ts'
import { apiPath, curl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { Moment } from '../../parts/moment.tsx'
import { organizationQuery } from '../../parts/queries.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { defined } from '../../ui/search-params.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
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
      <ForRole org={org} least="snapshotter" what="service accounts" act="see">
        <OfSharedOrg org={org} />
      </ForRole>
    </Stack>
  )
}

function OfSharedOrg({ org }: { org: string }) {
  const organization = useQuery(organizationQuery(org))
  if (organization.isPending) return <Loading />
  if (organization.error) return <Failed error={organization.error} />
  if (organization.data.kind === 'shared') return <FoundAccounts org={org} />
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

function FoundAccounts({ org }: { org: string }) {
  const { name } = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Group justify="space-between" align="end">
        <TextFilter
          label="Name contains"
          value={name}
          onChange={text => void navigate({ search: defined({ name: text }), replace: true })}
        />
        <Button onClick={open}>New service account</Button>
      </Group>
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
  if (accounts.error) return <Failed error={accounts.error} />
  const shown = accounts.data.filter(each =>
    [each.name, each.display_name].some(text => text.toLowerCase().includes(name.toLowerCase())),
  )
  if (shown.length > 0) return <AccountTable org={org} accounts={shown} />
  const body = { name: 'pipeline', privilege: 'member' }
  return (
    <Empty
      title={name === '' ? 'No service accounts yet' : 'No service account has such a name'}
      command={curl('POST', apiPath('service-accounts', org), body)}
    >
      A service account is who a program is: a pipeline, or what reports on a cluster.
    </Empty>
  )
}

function AccountTable({ org, accounts }: { org: string; accounts: ServiceAccount[] }) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table highlightOnHover aria-label="Service accounts">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>May do</Table.Th>
            <Table.Th>What it is for</Table.Th>
            <Table.Th>Made</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {accounts.map(({ name, display_name, privilege, description, created_at }) => (
            <Table.Tr key={name}>
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
              <Table.Td>{description}</Table.Td>
              <Table.Td>
                <Moment at={created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function CreateAccount({ org }: { org: string }) {
  const navigate = useNavigate()
  const create = useChange(
    (body: AccountDraft) =>
      answered(api.POST('/service-accounts/{org}', { params: { path: { org } }, body })),
    {
      done: ({ name }) => navigate({ to: '/$org/settings/service-accounts/$name', params: { org, name } }),
      said: ({ name }) => `${name} is created`,
    },
  )
  return (
    <ServiceAccountForm
      org={org}
      initial={{ name: '', display_name: '', description: '', privilege: 'reader' }}
      isNew
      action="Create the account"
      isPending={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
    />
  )
}
