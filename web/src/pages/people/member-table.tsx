// The table of members, with role selection and removal.

import { Badge, Group, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { BASE_PATH } from '../../base-path.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { formatRole, ROLE_CHOICES, ROLES, type Role } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { OwnedCredentials } from './owned-credentials.tsx'
import { type Member, useRemoval, useRoleChange } from './queries.ts'
import { peopleTexts as texts } from './texts.ts'

interface Props {
  org: string
  members: Member[]
  me: string | undefined
  isAdmin: boolean
  isPart: boolean
}

export function MemberTable({ members, isPart, ...about }: Props) {
  return (
    <DataTable
      caption={texts.members.title}
      columns={listColumns(about)}
      rows={members}
      getKey={({ user }) => user}
      isPart={isPart}
    />
  )
}

const listColumns = ({ org, me, isAdmin }: Pick<Props, 'org' | 'me' | 'isAdmin'>): Column<Member>[] => [
  {
    title: texts.memberTable.name,
    sortBy: ({ display_name }) => display_name,
    render: member => <Person member={member} isMe={member.user === me} />,
  },
  {
    title: texts.memberTable.role,
    sortBy: ({ role }) => ROLES.indexOf(role),
    render: member => (isAdmin ? <RoleSelect org={org} member={member} /> : formatRole(member.role)),
  },
  {
    title: texts.memberTable.since,
    first: 'descending',
    sortBy: ({ created_at }) => created_at,
    render: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  {
    title: texts.memberTable.source,
    sortBy: ({ source }) => source,
    render: ({ source }) => source ?? texts.memberTable.unknownSource,
  },
  {
    title: texts.memberTable.action,
    render: ({ user }) => (isAdmin || user === me) && <Removal org={org} user={user} isMe={user === me} />,
  },
]

function Person({ member: { user, display_name, email }, isMe }: { member: Member; isMe: boolean }) {
  return (
    <>
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
    </>
  )
}

/**
 * Choosing alone changes nothing: pressing an arrow key already chooses. The server knows who the last admin
 * is.
 */
function RoleSelect({ org, member: { user, role } }: { org: string; member: Member }) {
  const roleChange = useRoleChange(org)
  const [chosen, setChosen] = useState<Role>()
  const isChanged = chosen !== undefined && chosen !== role
  return (
    <Group gap="xs" wrap="nowrap">
      <NativeSelect
        aria-label={texts.memberTable.roleOf(user)}
        data={ROLE_CHOICES}
        value={chosen ?? role}
        onChange={({ currentTarget }) => setChosen(currentTarget.value as Role)}
      />
      {isChanged && (
        <ConfirmButton
          label={texts.memberTable.changeRole}
          about={texts.memberTable.ofUser(user)}
          question={
            <>
              {texts.memberTable.roleQuestion(user, formatRole(role), formatRole(chosen))}
              <OwnedCredentials org={org} user={user} becomes={chosen} />
            </>
          }
          change={roleChange}
          input={{ user, role: chosen }}
        />
      )}
    </Group>
  )
}

function Removal({ org, user, isMe }: { org: string; user: string; isMe: boolean }) {
  // A full reload clears everything about the org from memory.
  const removal = useRemoval(org, isMe ? () => window.location.assign(`${BASE_PATH}/`) : undefined)

  return (
    <ConfirmButton
      label={isMe ? texts.memberTable.leave : texts.memberTable.remove}
      about={isMe ? org : user}
      question={
        <>
          {isMe ? texts.memberTable.leaveQuestion(org) : texts.memberTable.removeQuestion(user, org)}
          <OwnedCredentials org={org} user={user} becomes={null} />
        </>
      }
      change={removal}
      input={user}
    />
  )
}
