// The table of members, with role selection and removal.
import { Badge, Group, NativeSelect, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { RelativeTime } from '../../parts/time.tsx'
import { ROLES, type Role } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Member, useRemoval, useRoleChange } from './queries.ts'
import { peopleTexts as texts } from './texts.ts'

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
            <Table.Th>{texts.memberTable.name}</Table.Th>
            <Table.Th>{texts.memberTable.role}</Table.Th>
            <Table.Th>{texts.memberTable.since}</Table.Th>
            <Table.Th>{texts.memberTable.source}</Table.Th>
            <Table.Th>{texts.memberTable.action}</Table.Th>
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
          {isMe && <Badge variant="light">{texts.memberTable.you}</Badge>}
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
      <Table.Td>{source ?? texts.memberTable.unknownSource}</Table.Td>
      <Table.Td>{(isAdmin || isMe) && <Removal org={org} user={user} isMe={isMe} />}</Table.Td>
    </Table.Tr>
  )
}

/** Choosing changes nothing yet: an arrow key is enough to choose. The server knows who is the last admin. */
function RoleSelect({ org, member: { user, role } }: { org: string; member: Member }) {
  const roleChange = useRoleChange(org)
  const [chosen, setChosen] = useState<Role>()
  const isChanged = chosen !== undefined && chosen !== role
  return (
    <Group gap="xs" wrap="nowrap">
      <NativeSelect
        aria-label={texts.memberTable.roleOf(user)}
        data={[...ROLES]}
        value={chosen ?? role}
        onChange={({ currentTarget }) => setChosen(currentTarget.value as Role)}
      />
      {isChanged && (
        <ConfirmButton
          label={texts.memberTable.changeRole}
          about={texts.memberTable.ofUser(user)}
          question={texts.memberTable.roleQuestion(user, role, chosen)}
          change={roleChange}
          input={{ user, role: chosen }}
        />
      )}
    </Group>
  )
}

function Removal({ org, user, isMe }: { org: string; user: string; isMe: boolean }) {
  // A full reload clears everything about the org from memory.
  const removal = useRemoval(org, isMe ? () => window.location.assign('/') : undefined)

  return (
    <ConfirmButton
      label={isMe ? texts.memberTable.leave : texts.memberTable.remove}
      about={isMe ? org : user}
      question={isMe ? texts.memberTable.leaveQuestion(org) : texts.memberTable.removeQuestion(user, org)}
      change={removal}
      input={user}
    />
  )
}
