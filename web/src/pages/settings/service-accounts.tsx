// The service accounts of an organization, and the dialog that creates one.
import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { api, sessionQuery, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { organizationQuery, serviceAccountsQuery } from '../../parts/queries.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { formatRole, formatRolesFrom, ROLES, type Role, useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { OwnerCell } from './account-owner.tsx'
import { type AccountDraft, type ServiceAccount, ServiceAccountForm } from './service-account-form.tsx'
import { accountsTexts as texts } from './texts-accounts.ts'

const PAGE = '/$org/settings/service-accounts'

export function ServiceAccountsPage() {
  const { org } = useParams({ from: PAGE })
  return (
    <Stack>
      <Crumbs here={texts.accounts.title}>
        <PageLink to="/$org/settings" params={{ org }}>
          {texts.crumbs.settings}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.accounts.title}</Title>
      <ForRole org={org} minRole="snapshotter" what={texts.accounts.what} verb="see">
        <SharedOrgAccounts org={org} />
      </ForRole>
    </Stack>
  )
}

function SharedOrgAccounts({ org }: { org: string }) {
  const organization = useQuery(organizationQuery(org))
  if (organization.isPending) return <Loading />
  if (organization.error) return <ErrorAlert error={organization.error} />
  if (organization.data.kind === 'shared')
    return (
      <AccountSearch org={org} creators={organization.data.settings?.service_account_creators ?? 'admin'} />
    )
  return (
    <Empty title={texts.accounts.personal}>
      {texts.accounts.personalHelpBefore}{' '}
      <PageLink to="/$org/profile" params={{ org }}>
        {texts.accounts.personalHelpLink}
      </PageLink>
      {texts.accounts.personalHelpAfter}
    </Empty>
  )
}

/** `creators` is the lowest role that can create accounts. */
function AccountSearch({ org, creators }: { org: string; creators: Role }) {
  const { name } = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const canCreate = useRole(org).hasRole(creators)
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Group justify="space-between" align="end">
        <TextFilter
          label={texts.accounts.nameFilter}
          value={name}
          onChange={text => void navigate({ search: dropUndefined({ name: text }), replace: true })}
        />
        {canCreate && <Button onClick={open}>{texts.accounts.create}</Button>}
      </Group>
      {!canCreate && <Text c="dimmed">{texts.accounts.readOnly(formatRolesFrom(creators))}</Text>}
      <Accounts org={org} name={name ?? ''} />
      <Modal
        opened={opened}
        onClose={close}
        title={texts.accounts.create}
        closeButtonProps={{ 'aria-label': texts.accounts.close }}
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
  if (shown.length > 0) return <AccountTable org={org} accounts={shown.toSorted(compareUrgency)} />
  const body = { name: 'pipeline', privilege: 'member' }
  return (
    <Empty
      title={name === '' ? texts.accounts.empty : texts.accounts.noMatch}
      command={buildCurl('POST', buildApiPath('service-accounts', org), body)}
    >
      {texts.accounts.emptyHelp}
    </Empty>
  )
}

/** Accounts whose keys stop soonest come first; the others keep the order of the server. */
const compareUrgency = (a: ServiceAccount, b: ServiceAccount) =>
  (a.keys_stop_at ?? Number.MAX_VALUE) - (b.keys_stop_at ?? Number.MAX_VALUE)

function AccountTable({ org, accounts }: { org: string; accounts: ServiceAccount[] }) {
  return (
    <DataTable
      caption={texts.accounts.label}
      columns={listColumns(org)}
      rows={accounts}
      getKey={({ name }) => name}
    />
  )
}

const listColumns = (org: string): Column<ServiceAccount>[] => [
  {
    title: texts.accounts.name,
    sortBy: ({ name }) => name,
    render: ({ name, display_name }) => (
      <>
        <PageLink to="/$org/settings/service-accounts/$name" params={{ org, name }}>
          {name}
        </PageLink>
        {display_name !== name && (
          <Text size="sm" c="dimmed">
            {display_name}
          </Text>
        )}
      </>
    ),
  },
  {
    title: texts.accounts.role,
    sortBy: ({ privilege }) => ROLES.indexOf(privilege),
    render: ({ privilege, acts_as }) => (
      <>
        {formatRole(privilege)}
        {acts_as !== privilege && (
          <Text size="sm" c="dimmed">
            {texts.account.actsAs(formatRole(acts_as))}
          </Text>
        )}
      </>
    ),
  },
  { title: texts.accounts.owner, render: account => <OwnerCell org={org} account={account} /> },
  { title: texts.accounts.description, render: ({ description }) => description },
  {
    title: texts.accounts.created,
    first: 'descending',
    sortBy: ({ created_at }) => created_at,
    render: ({ created_at }) => <RelativeTime at={created_at} />,
  },
]

const NEW_ACCOUNT: AccountDraft = { name: '', display_name: '', description: '', privilege: 'reader' }

function CreateAccount({ org }: { org: string }) {
  const navigate = useNavigate()
  const { isAdmin } = useRole(org)
  const { data: session } = useQuery(sessionQuery)
  const draft = useDraft({
    initial: { ...NEW_ACCOUNT, ...(isAdmin && session && { owner: session.user }) },
    required: ['name'],
    send: body => unwrap(api.POST('/service-accounts/{org}', { params: { path: { org } }, body })),
    notice: ({ name }) => texts.accounts.createdNotice(name),
    onDone: ({ name }) => navigate({ to: '/$org/settings/service-accounts/$name', params: { org, name } }),
  })
  return <ServiceAccountForm org={org} draft={draft} isNew action={texts.accounts.submit} />
}
