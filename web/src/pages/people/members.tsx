// Who belongs to the org and who is invited. Admins change it; everybody else sees it and may leave.
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { sessionQuery } from '../../api.ts'
import { organizationQuery } from '../../parts/queries.ts'
import { useRole } from '../../parts/use-role.ts'
import { TextFilter } from '../../ui/filters.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { dropUndefined, readPage } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { Invitations } from './invitations.tsx'
import { MemberTable } from './member-table.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import { membersQuery } from './queries.ts'
import type { MembersSearch } from './search-params.ts'

const PAGE = '/$org/settings/members'

export function MembersPage() {
  const { org } = useParams({ from: PAGE })
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
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
      {!isPersonal && (
        <TextFilter
          label={isAdmin ? 'Name or address contains' : 'Name contains'}
          value={search.search}
          onChange={text => void navigate({ search: dropUndefined({ search: text }), replace: true })}
        />
      )}
      <Members
        org={org}
        isAdmin={isAdmin && !isPersonal}
        search={search}
        onPage={page => void navigate({ search: dropUndefined({ ...search, page: readPage(page) }) })}
      />
      {isAdmin && organization.data?.kind === 'shared' && <Invitations org={org} />}
    </Stack>
  )
}

interface MembersProps {
  org: string
  isAdmin: boolean
  search: MembersSearch
  onPage: (page: number) => void
}

function Members({ org, isAdmin, search, onPage }: MembersProps) {
  const { data: session } = useQuery(sessionQuery)
  const members = useQuery(membersQuery(org, search))
  if (members.isPending) return <Loading />
  if (members.error) return <ErrorAlert error={members.error} />
  const { data, pagination } = members.data
  if (pagination.total === 0)
    return <Empty title="No member is like that">Try another part of the name.</Empty>
  return (
    <>
      {data.length === 0 ? (
        <NoSuchPage onPage={onPage} />
      ) : (
        <MemberTable org={org} members={data} me={session?.user} isAdmin={isAdmin} />
      )}
      <Pager {...pagination} noun="member" onChange={onPage} />
    </>
  )
}
