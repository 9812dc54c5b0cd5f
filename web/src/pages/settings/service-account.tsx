// One service account: its keys, its settings and its deletion.
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api, sessionQuery, unwrap } from '../../api.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { formatRole, useRole } from '../../parts/use-role.ts'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { AccountOwner } from './account-owner.tsx'
import { ApiKeys } from './api-keys.tsx'
import { buildServiceAccountKeys } from './key-owners.ts'
import { serviceAccountQuery } from './queries.ts'
import { type AccountDraft, type ServiceAccount, ServiceAccountForm } from './service-account-form.tsx'
import { accountsTexts as texts } from './texts-accounts.ts'

export function ServiceAccountPage() {
  const { org, name } = useParams({ from: '/$org/settings/service-accounts/$name' })
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/settings" params={{ org }}>
          {texts.crumbs.settings}
        </PageLink>
        <PageLink to="/$org/settings/service-accounts" params={{ org }}>
          {texts.crumbs.serviceAccounts}
        </PageLink>
      </Crumbs>
      <Title order={1} className="long-name">
        {name}
      </Title>
      <ForRole org={org} minRole="snapshotter" what={texts.accounts.what} verb="see">
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

/** Admins manage all accounts, everyone else only their own. */
function useCanManage(org: string, { owner, privilege }: ServiceAccount): boolean {
  const { isAdmin, hasRole } = useRole(org)
  const { data: session } = useQuery(sessionQuery)
  return isAdmin || (owner === session?.user && hasRole(privilege))
}

function Account({ org, account }: AccountProps) {
  const canManage = useCanManage(org, account)
  return (
    <>
      <Group>
        {account.display_name !== account.name && <Text>{account.display_name}</Text>}
        <Badge variant="light">{formatRole(account.privilege)}</Badge>
        <Text size="sm">
          {texts.account.created} <RelativeTime at={account.created_at} />
        </Text>
      </Group>
      {account.acts_as !== account.privilege && (
        <Text>{texts.account.actsAsHelp(formatRole(account.acts_as), account.keys_stop_at !== null)}</Text>
      )}
      {account.description !== '' && <Text>{account.description}</Text>}
      <AccountOwner org={org} account={account} />
      {!canManage && <Text c="dimmed">{texts.account.readOnly}</Text>}
      <ApiKeys owner={buildServiceAccountKeys(org, account.name)} canChange={canManage} />
      {canManage && <AccountEditor org={org} account={account} />}
      {canManage && <AccountDeletion org={org} account={account} />}
    </>
  )
}

function AccountEditor({ org, account }: AccountProps) {
  const { name, display_name, description, privilege } = account
  const initial: AccountDraft = { name, display_name, description, privilege }
  const draft = useDraft({
    initial,
    send: ({ name, ...body }) =>
      unwrap(api.PATCH('/service-accounts/{org}/{name}', { params: { path: { org, name } }, body })),
    notice: texts.account.saved(name),
  })
  return (
    <Card withBorder>
      <Title order={2} mb="sm">
        {texts.account.edit}
      </Title>
      <ServiceAccountForm org={org} draft={draft} isNew={false} action={texts.account.save} />
    </Card>
  )
}

function AccountDeletion({ org, account: { name } }: AccountProps) {
  const navigate = useNavigate()
  const remove = useChange(
    () => unwrap(api.DELETE('/service-accounts/{org}/{name}', { params: { path: { org, name } } })),
    {
      onDone: () => navigate({ to: '/$org/settings/service-accounts', params: { org } }),
      notice: texts.account.deleted(name),
    },
  )
  return (
    <Card withBorder>
      <Title order={2}>{texts.account.deleteTitle}</Title>
      <Text my="sm">{texts.account.deleteHelp}</Text>
      <Group>
        <ConfirmByTyping
          label={texts.account.delete}
          about={texts.account.deleteAbout(name)}
          name={name}
          question={texts.account.deleteQuestion(name)}
          change={remove}
          input={undefined}
        />
      </Group>
    </Card>
  )
}
