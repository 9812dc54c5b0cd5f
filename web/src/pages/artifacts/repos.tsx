// All repositories that reports have named, with a name filter.
import { Stack, Table, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RepoLink } from '../../parts/links.tsx'
import { TagList } from '../../parts/tags.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { Pager } from '../../ui/pager.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { reposQuery } from './queries.ts'
import type { ReposSearch } from './search.ts'
import { repoTexts as texts } from './texts-repos.ts'

export function ReposPage() {
  const { org } = useParams({ from: '/$org/repos/' })
  const search = useSearch({ from: '/$org/repos/' })
  const navigate = useNavigate({ from: '/$org/repos/' })
  return (
    <Stack>
      <Title order={1}>{texts.title}</Title>
      <TextFilter
        label={texts.list.nameContains}
        value={search.name}
        onChange={name => void navigate({ search: dropUndefined({ name }), replace: true })}
      />
      <RepoTable org={org} search={search} onPage={page => void navigate({ search: { ...search, page } })} />
    </Stack>
  )
}

interface RepoTableProps {
  org: string
  search: ReposSearch
  onPage: (page: number) => void
}

function RepoTable({ org, search, onPage }: RepoTableProps) {
  const repos = useQuery(reposQuery(org, search))
  if (repos.isPending) return <Loading />
  if (repos.error) return <ErrorAlert error={repos.error} />
  const { repos: shown, page, total_pages, total_count } = repos.data
  if (total_count === 0) return <NoRepos org={org} isFiltered={search.name !== undefined} />
  return (
    <Stack>
      <Table.ScrollContainer minWidth={560}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.list.name}</Table.Th>
              <Table.Th>{texts.list.host}</Table.Th>
              <Table.Th>{texts.list.url}</Table.Th>
              <Table.Th>{texts.list.tags}</Table.Th>
              <Table.Th>{texts.list.firstSeen}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(repo => (
              <Table.Tr key={repo.id}>
                <Table.Td miw={150}>
                  <RepoLink org={org} repo={repo.name} />
                </Table.Td>
                <Table.Td>{repo.provider || texts.list.unknownHost}</Table.Td>
                <Table.Td>
                  <ExternalLink href={repo.url} />
                </Table.Td>
                <Table.Td>
                  <TagList tags={repo.tags} />
                </Table.Td>
                <Table.Td>
                  <RelativeTime at={repo.created_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager page={page} page_count={total_pages} total={total_count} noun="repository" onChange={onPage} />
    </Stack>
  )
}

function NoRepos({ org, isFiltered }: { org: string; isFiltered: boolean }) {
  const repo_info = { id: '311', name: 'owner/name', url: 'https://git.example/owner/name' }
  return (
    <Empty
      title={isFiltered ? texts.list.noMatch : texts.list.none}
      command={buildCurl('PUT', buildApiPath('trails', org, 'FLOW'), { name: 'release-1', repo_info })}
    >
      {texts.list.noneHint}
    </Empty>
  )
}
