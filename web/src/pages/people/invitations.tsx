// Invitations: the form, and the table of open invitations.
import { Badge, Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { formatRole, ROLE_CHOICES, ROLES, type Role } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { type Invitation, invitationsQuery, useResend, useWithdraw } from './queries.ts'
import { peopleTexts as texts } from './texts.ts'

export function Invitations({ org }: { org: string }) {
  const invitations = useQuery(invitationsQuery(org))
  return (
    <Stack component="section" aria-labelledby="invitations">
      <Title order={2} id="invitations">
        {texts.invitations.title}
      </Title>
      <InvitationForm org={org} />
      {invitations.isPending ? (
        <Loading rows={2} />
      ) : invitations.error ? (
        <ErrorAlert error={invitations.error} />
      ) : (
        <InvitationTable org={org} invitations={invitations.data} />
      )}
    </Stack>
  )
}

interface NewInvitation {
  email: string
  role: Role
}

function InvitationForm({ org }: { org: string }) {
  const initial: NewInvitation = { email: '', role: 'member' }
  const { form, ...draft } = useDraft({
    initial,
    required: ['email'],
    send: body => unwrap(api.POST('/invitations/{org}', { params: { path: { org } }, body })),
    notice: ({ email }) => texts.invitations.invited(email),
    next: ({ role }) => ({ email: '', role }),
  })
  return (
    <DraftForm draft={draft} gap="xs">
      <Group align="start">
        <TextInput label={texts.invitations.email} type="email" required {...form.getInputProps('email')} />
        <NativeSelect label={texts.invitations.role} data={ROLE_CHOICES} {...form.getInputProps('role')} />
        <Button type="submit" mt={{ base: 0, xs: 21 }} loading={draft.isPending}>
          {texts.invitations.invite}
        </Button>
      </Group>
    </DraftForm>
  )
}

function InvitationTable({ org, invitations }: { org: string; invitations: Invitation[] }) {
  if (invitations.length === 0) {
    const body = { email: 'ines@example.com', role: 'member' }
    return (
      <Empty
        title={texts.invitations.empty}
        command={buildCurl('POST', buildApiPath('invitations', org), body)}
      />
    )
  }
  return (
    <DataTable
      caption={texts.invitations.title}
      columns={listColumns(org)}
      rows={invitations}
      getKey={({ id }) => id}
      isWide
    />
  )
}

const listColumns = (org: string): Column<Invitation>[] => [
  { title: texts.invitations.email, sortBy: ({ email }) => email, render: ({ email }) => email },
  {
    title: texts.invitations.role,
    sortBy: ({ role }) => ROLES.indexOf(role),
    render: ({ role }) => formatRole(role),
  },
  {
    title: texts.invitations.status,
    sortBy: ({ state }) => state,
    render: invitation => <InvitationStatus invitation={invitation} />,
  },
  {
    title: texts.invitations.invitedBy,
    sortBy: ({ invited_by }) => invited_by,
    render: ({ invited_by }) => invited_by,
  },
  {
    title: texts.invitations.sent,
    first: 'descending',
    sortBy: ({ sent_at }) => sent_at,
    render: ({ sent_at }) => <RelativeTime at={sent_at} />,
  },
  {
    title: texts.invitations.expires,
    sortBy: ({ expires_at }) => expires_at,
    render: ({ expires_at }) => <RelativeTime at={expires_at} />,
  },
  {
    title: texts.invitations.action,
    render: invitation => <InvitationActions org={org} invitation={invitation} />,
  },
]

function InvitationStatus({ invitation: { state, mail } }: { invitation: Invitation }) {
  return (
    <>
      <Badge color={state === 'pending' ? 'blue' : 'gray'} variant="light">
        {state}
      </Badge>
      {(mail === 'held' || mail === 'stopped') && (
        <Text size="sm" maw={240}>
          {texts.invitations.mail[mail]}
        </Text>
      )}
    </>
  )
}

function InvitationActions({ org, invitation: { id, email } }: { org: string; invitation: Invitation }) {
  const resend = useResend(org)
  const withdraw = useWithdraw(org)
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={texts.invitations.resendLabel(email)}
          loading={resend.isPending}
          onClick={() => resend.mutate(id)}
        >
          {texts.invitations.resend}
        </Button>
        <ConfirmButton
          label={texts.invitations.withdraw}
          about={texts.invitations.withdrawAbout(email)}
          question={texts.invitations.withdrawQuestion}
          change={withdraw}
          input={id}
        />
      </Group>
      {resend.error && <ErrorAlert error={resend.error} />}
    </>
  )
}
