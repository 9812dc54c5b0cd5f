// Who belongs to the org and who is invited. Admins change it; everybody else sees it and may leave.
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { sessionQuery } from '../../api.ts'
import { useRole } from '../../parts/use-role.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Invitations } from './invitations.tsx'
import { MemberTable } from './member-table.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import { membersQuery } from './queries.ts'

export function MembersPage() {
  const { org } = useParams({ from: '/$org/settings/members' })
  const { data: session } = useQuery(sessionQuery)
  const members = useQuery(membersQuery(org))
  const { isAdmin } = useRole(org)
  return (
    <Stack>
      <Title order={1}>Members</Title>
      <PeopleTabs org={org} />
      <Text c="dimmed">
        Each role may do what those before it may: reader, snapshotter, member, admin.
        {!isAdmin && ' Only admins change members.'}
      </Text>
      {members.isPending ? (
        <Loading />
      ) : members.error ? (
        <Failed error={members.error} />
      ) : (
        <MemberTable org={org} members={members.data} me={session?.user} isAdmin={isAdmin} />
      )}
      {isAdmin && <Invitations org={org} />}
    </Stack>
  )
}
