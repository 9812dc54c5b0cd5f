// The members of an org, with the role of each and the way out.
import { Badge, Group, NativeSelect, Table, Text, Tooltip } from '@mantine/core'
import { Moment } from '../../parts/moment.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { counted } from '../../ui/counted.ts'
import { Failed } from '../../ui/states.tsx'
import { type Member, useRemoval, useRoleChange } from './queries.ts'
import { ROLES, type Role } from './search-params.ts'

const LAST_ADMIN = 'The last admin keeps the role and stays. Make somebody else an admin first.'

interface Props {
  org: string
  members: Member[]
  me: string | undefined
  isAdmin: boolean
}

export function MemberTable({ org, members, me, isAdmin }: Props) {
  const roleChange = useRoleChange(org)
  const admins = members.filter(({ role }) => role === 'admin')
  return (
    <>
      {roleChange.error && <Failed error={roleChange.error} />}
      <Table.ScrollContainer minWidth={640}>
        <Table highlightOnHover>
          <Table.Caption>{counted(members.length, 'member')}</Table.Caption>
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
                isLastAdmin={member.role === 'admin' && admins.length === 1}
                onRole={role => roleChange.mutate({ user: member.user, role })}
                isChanging={roleChange.isPending && roleChange.variables.user === member.user}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}

interface RowProps {
  org: string
  member: Member
  isMe: boolean
  isAdmin: boolean
  isLastAdmin: boolean
  isChanging: boolean
  onRole(role: Role): void
}

function MemberRow({ org, member, isMe, isAdmin, isLastAdmin, isChanging, onRole }: RowProps) {
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
      <Table.Td>
        {isAdmin && !isLastAdmin ? (
          <NativeSelect
            aria-label={`Role of ${user}`}
            data={[...ROLES]}
            value={role}
            disabled={isChanging}
            onChange={({ currentTarget }) => onRole(currentTarget.value as Role)}
          />
        ) : (
          role
        )}
      </Table.Td>
      <Table.Td>
        <Moment at={created_at} />
      </Table.Td>
      <Table.Td>{source ?? 'unknown'}</Table.Td>
      <Table.Td>
        {isLastAdmin ? (
          <Tooltip label={LAST_ADMIN} multiline maw={280} withArrow>
            <Text size="sm" c="dimmed" component="span" tabIndex={0}>
              last admin
            </Text>
          </Tooltip>
        ) : (
          (isAdmin || isMe) && <Removal org={org} user={user} isMe={isMe} />
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function Removal({ org, user, isMe }: { org: string; user: string; isMe: boolean }) {
  const removal = useRemoval(org)
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
