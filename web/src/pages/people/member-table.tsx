// The members of an org, with the role of each and the way out.
import { Badge, Group, NativeSelect, Table, Text } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { ROLES, type Role } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { type Member, useRemoval, useRoleChange } from './queries.ts'

interface Props {
  org: string
  members: Member[]
  me: string | undefined
  isAdmin: boolean
}

export function MemberTable({ org, members, me, isAdmin }: Props) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th>Action</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map(member => (
            <MemberRow
              key={member.user}
              org={org}
              member={member}
              isMe={member.user === me}
              isAdmin={isAdmin}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface RowProps {
  org: string
  member: Member
  isMe: boolean
  isAdmin: boolean
}

function MemberRow({ org, member, isMe, isAdmin }: RowProps) {
  const { user, display_name, email, role, created_at, source } = member
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text fw={600}>{display_name}</Text>
          {display_name !== user && <Text c="dimmed">{user}</Text>}
          {isMe && <Badge variant="light">you</Badge>}
        </Group>
        {email && (
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{isAdmin ? <RoleSelect org={org} member={member} /> : role}</Table.Td>
      <Table.Td>
        <RelativeTime at={created_at} />
      </Table.Td>
      <Table.Td>{source ?? 'unknown'}</Table.Td>
      <Table.Td>{(isAdmin || isMe) && <Removal org={org} user={user} isMe={isMe} />}</Table.Td>
    </Table.Tr>
  )
}

/** Whether somebody is the last admin is the server's to know: its refusal stands beside the role. */
function RoleSelect({ org, member: { user, role } }: { org: string; member: Member }) {
  const roleChange = useRoleChange(org)
  return (
    <>
      <NativeSelect
        aria-label={`Role of ${user}`}
        data={[...ROLES]}
        value={roleChange.isPending ? roleChange.variables.role : role}
        disabled={roleChange.isPending}
        onChange={({ currentTarget }) => roleChange.mutate({ user, role: currentTarget.value as Role })}
      />
      {roleChange.error && <ErrorAlert error={roleChange.error} />}
    </>
  )
}

function Removal({ org, user, isMe }: { org: string; user: string; isMe: boolean }) {
  // Whoever has left starts anew: nothing of the org is left in the memory of the page.
  const removal = useRemoval(org, isMe ? () => window.location.assign('/') : undefined)
  const after = 'Whoever is in no shared organization any more is signed out everywhere.'
  return (
    <ConfirmButton
      label={isMe ? 'Leave' : 'Remove'}
      about={isMe ? org : user}
      question={
        isMe
          ? `You lose access to ${org}. ${after}`
          : `${user} loses access to ${org}. What ${user} did stays in the logs. ${after}`
      }
      change={removal}
      input={user}
    />
  )
}
