// One service account: its keys, what it is, and its end.
import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { answered, api } from '../../api.ts'
import { Moment } from '../../parts/moment.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { ApiKeys } from './api-keys.tsx'
import { ConfirmByTyping } from './confirm-by-typing.tsx'
import { serviceAccountKeys } from './key-owners.ts'
import { PagePath } from './page-path.tsx'
import { serviceAccountQuery } from './queries.ts'
import { type AccountDraft, type ServiceAccount, ServiceAccountForm } from './service-account-form.tsx'

export function ServiceAccountPage() {
  const { org, name } = useParams({ from: '/$org/settings/service-accounts/$name' })
  const account = useQuery(serviceAccountQuery(org, name))
  return (
    <Stack>
      <PagePath org={org} above="Service accounts" here={name} />
      <Title order={1} className="long-name">
        {name}
      </Title>
      {account.isPending ? (
        <Loading />
      ) : account.error ? (
        <Failed error={account.error} />
      ) : (
        <Account key={`${org} ${name}`} org={org} account={account.data} />
      )}
    </Stack>
  )
}

interface AccountProps {
  org: string
  account: ServiceAccount
}

function Account({ org, account }: AccountProps) {
  return (
    <>
      <Group>
        <Badge variant="light">{account.privilege}</Badge>
        <Text size="sm">
          Made <Moment at={account.created_at} />
        </Text>
      </Group>
      {account.description !== '' && <Text>{account.description}</Text>}
      <ApiKeys owner={serviceAccountKeys(org, account.name)} />
      <EditAccount org={org} account={account} />
      <DeleteAccount org={org} account={account} />
    </>
  )
}

function EditAccount({ org, account }: AccountProps) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: ({ description, privilege }: AccountDraft) =>
      answered(
        api.PATCH('/service-accounts/{org}/{name}', {
          params: { path: { org, name: account.name } },
          body: { description, privilege },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['service-accounts', org] }),
  })
  return (
    <Card withBorder>
      <Title order={2} mb="sm">
        Change it
      </Title>
      <ServiceAccountForm
        initial={account}
        isNew={false}
        action="Save"
        isPending={save.isPending}
        error={save.error}
        onSubmit={save.mutate}
      />
      {save.isSuccess && (
        <Text size="sm" role="status">
          Saved.
        </Text>
      )}
    </Card>
  )
}

function DeleteAccount({ org, account: { name } }: AccountProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [opened, { open, close }] = useDisclosure()
  const remove = useMutation({
    mutationFn: () =>
      answered(api.DELETE('/service-accounts/{org}/{name}', { params: { path: { org, name } } })),
    onSuccess: async () => {
      await navigate({ to: '/$org/settings/service-accounts', params: { org } })
      client.removeQueries({ queryKey: ['service-accounts', org, name] })
      await client.invalidateQueries({ queryKey: ['service-accounts', org] })
    },
  })
  return (
    <Card withBorder>
      <Title order={2}>Delete it</Title>
      <Text my="sm">Its keys are revoked with it. What it did stays in the history.</Text>
      <Group>
        <Button color="red" variant="light" onClick={open}>
          Delete the account
        </Button>
      </Group>
      <ConfirmByTyping
        opened={opened}
        title="Delete the service account"
        name={name}
        action="Delete"
        isPending={remove.isPending}
        error={remove.error}
        onClose={close}
        onConfirm={remove.mutate}
      >
        Every program that uses a key of {name} is refused from now on.
      </ConfirmByTyping>
    </Card>
  )
}
