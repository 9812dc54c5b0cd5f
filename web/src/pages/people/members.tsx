// The members of an organization and its invitations. Admins can change them; everyone else can look and leave.
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
import { peopleTexts as texts } from './texts.ts'

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
      <Title order={1}>{texts.members.title}</Title>
      <PeopleTabs org={org} />
      <Text c="dimmed">
        {isPersonal ? texts.members.personal(org) : texts.members.roles}
        {!isAdmin && ` ${texts.members.readOnly}`}
      </Text>
      {!isPersonal && (
        <TextFilter
          label={isAdmin ? texts.members.searchByNameOrEmail : texts.members.searchByName}
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
  if (pagination.total === 0) return <Empty title={texts.members.noMatch}>{texts.members.noMatchHelp}</Empty>
  return (
    <>
      {data.length === 0 ? (
        <NoSuchPage onPage={onPage} />
      ) : (
        <MemberTable
          org={org}
          members={data}
          me={session?.user}
          isAdmin={isAdmin}
          isPart={pagination.page_count > 1}
        />
      )}
      <Pager {...pagination} noun={texts.members.noun} onChange={onPage} />
    </>
  )
}
