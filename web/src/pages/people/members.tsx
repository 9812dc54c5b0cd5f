// Who belongs to the org and who is invited. Admins change it; everybody else sees it and may leave.
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { sessionQuery } from '../../api.ts'
import { organizationQuery } from '../../parts/queries.ts'
import { useRole } from '../../parts/use-role.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Invitations } from './invitations.tsx'
import { MemberTable } from './member-table.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import { membersQuery } from './queries.ts'

export function MembersPage() {
  const { org } = useParams({ from: '/$org/settings/members' })
  const { isAdmin } = useRole(org)
  const organization = useQuery(organizationQuery(org))
  const isPersonal = organization.data?.kind === 'personal'
  return (
    <Stack>
      <Title order={1}>Members</Title>
      <PeopleTabs org={org} />
      <Text c="dimmed">
        {isPersonal
          ? `${org} is a personal organization: it has no other members. In a shared one, admins can invite people.`
          : 'Each role may do what those before it may: reader, snapshotter, member, admin.'}
        {!isAdmin && ' Only admins invite people and change roles.'}
      </Text>
      <Members org={org} isAdmin={isAdmin && !isPersonal} />
      {isAdmin && organization.data?.kind === 'shared' && <Invitations org={org} />}
    </Stack>
  )
}

function Members({ org, isAdmin }: { org: string; isAdmin: boolean }) {
  const { data: session } = useQuery(sessionQuery)
  const members = useQuery(membersQuery(org))
  if (members.isPending) return <Loading />
  if (members.error) return <Failed error={members.error} />
  return <MemberTable org={org} members={members.data} me={session?.user} isAdmin={isAdmin} />
}
