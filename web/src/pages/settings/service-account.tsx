// One service account: its keys, what it is, and its end.
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api, sessionQuery, unwrap } from '../../api.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { AccountOwner } from './account-owner.tsx'
import { ApiKeys } from './api-keys.tsx'
import { serviceAccountKeys } from './key-owners.ts'
import { serviceAccountQuery } from './queries.ts'
import { type AccountDraft, type ServiceAccount, ServiceAccountForm } from './service-account-form.tsx'

export function ServiceAccountPage() {
  const { org, name } = useParams({ from: '/$org/settings/service-accounts/$name' })
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
        <PageLink to="/$org/settings/service-accounts" params={{ org }}>
          Service accounts
        </PageLink>
      </Crumbs>
      <Title order={1} className="long-name">
        {name}
      </Title>
      <ForRole org={org} minRole="snapshotter" what="service accounts" verb="see">
        <LoadedAccount key={`${org} ${name}`} org={org} name={name} />
      </ForRole>
    </Stack>
  )
}

function LoadedAccount({ org, name }: { org: string; name: string }) {
  const account = useQuery(serviceAccountQuery(org, name))
  if (account.isPending) return <Loading />
  if (account.error) return <ErrorAlert error={account.error} />
  return <Account org={org} account={account.data} />
}

interface AccountProps {
  org: string
  account: ServiceAccount
}

/** Admins manage every account, everybody else those that they own. */
function useMayManage(org: string, { owner, privilege }: ServiceAccount): boolean {
  const { isAdmin, hasRole } = useRole(org)
  const { data: session } = useQuery(sessionQuery)
  return isAdmin || (owner === session?.user && hasRole(privilege))
}

function Account({ org, account }: AccountProps) {
  const mayManage = useMayManage(org, account)
  return (
    <>
      <Group>
        {account.display_name !== account.name && <Text>{account.display_name}</Text>}
        <Badge variant="light">{account.privilege}</Badge>
        <Text size="sm">
          Made <RelativeTime at={account.created_at} />
        </Text>
      </Group>
      {account.description !== '' && <Text>{account.description}</Text>}
      <AccountOwner org={org} account={account} />
      {!mayManage && (
        <Text c="dimmed">
          Only admins and the owner change the account and create, rotate and revoke its keys.
        </Text>
      )}
      <ApiKeys owner={serviceAccountKeys(org, account.name)} mayChange={mayManage} />
      {mayManage && <EditAccount org={org} account={account} />}
      {mayManage && <DeleteAccount org={org} account={account} />}
    </>
  )
}

function EditAccount({ org, account }: AccountProps) {
  const save = useChange(
    ({ display_name, description, privilege }: AccountDraft) =>
      unwrap(
        api.PATCH('/service-accounts/{org}/{name}', {
          params: { path: { org, name: account.name } },
          body: { display_name, description, privilege },
        }),
      ),
    { notice: 'Saved' },
  )
  return (
    <Card withBorder>
      <Title order={2} mb="sm">
        Change it
      </Title>
      <ServiceAccountForm
        org={org}
        initial={account}
        isNew={false}
        action="Save"
        isPending={save.isPending}
        error={save.error}
        onSubmit={save.mutate}
      />
    </Card>
  )
}

function DeleteAccount({ org, account: { name } }: AccountProps) {
  const navigate = useNavigate()
  const remove = useChange(
    () => unwrap(api.DELETE('/service-accounts/{org}/{name}', { params: { path: { org, name } } })),
    {
      onDone: () => navigate({ to: '/$org/settings/service-accounts', params: { org } }),
      notice: `${name} is deleted`,
    },
  )
  return (
    <Card withBorder>
      <Title order={2}>Delete it</Title>
      <Text my="sm">Its keys are revoked with it. What it did stays in the history.</Text>
      <Group>
        <ConfirmByTyping
          label="Delete"
          about={`the service account ${name}`}
          name={name}
          question={`Every program that uses a key of ${name} is refused from now on.`}
          change={remove}
          input={undefined}
        />
      </Group>
    </Card>
  )
}
