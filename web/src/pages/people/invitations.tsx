// Letting people in by mail: a form, and the invitations that nobody has accepted yet.
import { Badge, Button, Group, NativeSelect, Stack, Table, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { ROLES, type Role } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { type Invitation, invitationsQuery, useInviting, useResending, useWithdrawing } from './queries.ts'

export function Invitations({ org }: { org: string }) {
  const invitations = useQuery(invitationsQuery(org))
  return (
    <Stack component="section" aria-labelledby="invitations">
      <Title order={2} id="invitations">
        Invitations
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

function InvitationForm({ org }: { org: string }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const inviting = useInviting(org)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        inviting.mutate({ email, role }, { onSuccess: () => setEmail('') })
      }}
    >
      <Stack gap="xs">
        <Group align="start">
          <TextInput
            label="Mail address"
            type="email"
            required
            value={email}
            error={readFieldErrors(inviting.error).email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <NativeSelect
            label="Role"
            data={[...ROLES]}
            value={role}
            onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}
          />
          <Button type="submit" mt={25} loading={inviting.isPending}>
            Invite
          </Button>
        </Group>
        {inviting.error && <ErrorAlert error={inviting.error} />}
      </Stack>
    </form>
  )
}

function InvitationTable({ org, invitations }: { org: string; invitations: Invitation[] }) {
  if (invitations.length === 0) {
    const body = { email: 'ines@example.com', role: 'member' }
    return (
      <Empty
        title="No open invitations"
        command={buildCurl('POST', buildApiPath('invitations', org), body)}
      />
    )
  }
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Mail address</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Invited by</Table.Th>
            <Table.Th>Sent</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Th>Action</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invitations.map(invitation => (
            <InvitationRow key={invitation.id} org={org} invitation={invitation} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function InvitationRow({ org, invitation }: { org: string; invitation: Invitation }) {
  const { id, email, role, state, invited_by, sent_at, expires_at } = invitation
  const resending = useResending(org)
  const withdrawing = useWithdrawing(org)
  return (
    <Table.Tr>
      <Table.Td>{email}</Table.Td>
      <Table.Td>{role}</Table.Td>
      <Table.Td>
        <Badge color={state === 'pending' ? 'blue' : 'gray'} variant="light">
          {state}
        </Badge>
      </Table.Td>
      <Table.Td>{invited_by}</Table.Td>
      <Table.Td>
        <RelativeTime at={sent_at} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={expires_at} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={`Send again the invitation of ${email}`}
            loading={resending.isPending}
            onClick={() => resending.mutate(id)}
          >
            Send again
          </Button>
          <ConfirmButton
            label="Withdraw"
            about={`the invitation of ${email}`}
            question="The link in the mail stops working."
            change={withdrawing}
            input={id}
          />
        </Group>
        {resending.error && <ErrorAlert error={resending.error} />}
      </Table.Td>
    </Table.Tr>
  )
}
