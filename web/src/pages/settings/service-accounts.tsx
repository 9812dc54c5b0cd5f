// The service accounts of an org, and the way to make one.
import { Button, Group, Modal, Stack, Table, TextInput, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { answered, api } from '../../api.ts'
import { apiPath, curl } from '../../parts/curl.ts'
import { Moment } from '../../parts/moment.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { defined, textOf } from '../../ui/search-params.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { serviceAccountsQuery } from './queries.ts'
import { type AccountDraft, type ServiceAccount, ServiceAccountForm } from './service-account-form.tsx'

const PAGE = '/$org/settings/service-accounts'

export function ServiceAccountsPage() {
  const { org } = useParams({ from: PAGE })
  const { name = '' } = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const [opened, { open, close }] = useDisclosure()
  return (
    <Stack>
      <Crumbs here="Service accounts">
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
      </Crumbs>
      <Group justify="space-between">
        <Title order={1}>Service accounts</Title>
        <Button onClick={open}>New service account</Button>
      </Group>
      <TextInput
        aria-label="Filter by name"
        placeholder="Filter by name"
        value={name}
        maw={320}
        onChange={({ currentTarget }) =>
          void navigate({
            search: defined({ name: textOf(currentTarget.value) }),
            replace: true,
          })
        }
      />
      <Accounts org={org} name={name} />
      <Modal
        opened={opened}
        onClose={close}
        title="New service account"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <CreateAccount org={org} />
      </Modal>
    </Stack>
  )
}

function Accounts({ org, name }: { org: string; name: string }) {
  const accounts = useQuery(serviceAccountsQuery(org))
  if (accounts.isPending) return <Loading />
  if (accounts.error) return <Failed error={accounts.error} />
  const shown = accounts.data.filter(each => each.name.toLowerCase().includes(name.toLowerCase()))
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
          {accounts.map(({ name, privilege, description, created_at }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <PageLink to="/$org/settings/service-accounts/$name" params={{ org, name }}>
                  {name}
                </PageLink>
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
      initial={{ name: '', description: '', privilege: 'reader' }}
      isNew
      action="Create the account"
      isPending={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
    />
  )
}
