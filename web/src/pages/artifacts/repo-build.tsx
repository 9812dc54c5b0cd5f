// The builds of a repository: how often, and each build, newest first.
import { Stack, Table, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ArtifactLink, CommitLink, FlowLink } from '../../parts/links.tsx'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { CursorPager } from '../../ui/pager.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { BuildFrequency } from './build-frequency.tsx'
import { buildsQuery } from './queries.ts'
import { DEFAULT_DAYS, type RepoSearch } from './search.ts'
import { repoTexts as texts } from './texts-repos.ts'

interface RepoBuildProps {
  org: string
  name: string
  search: RepoSearch
  onChange: (next: RepoSearch) => void
}

export function RepoBuild({ org, name, search, onChange }: RepoBuildProps) {
  const { days = DEFAULT_DAYS, environment, page = 1 } = search
  const builds = useQuery(buildsQuery(org, name, page))
  if (builds.isPending) return <Loading />
  if (builds.error) return <ErrorAlert error={builds.error} />
  if (builds.data.length === 0 && page === 1) return <NoBuilds org={org} name={name} />
  return (
    <Stack>
      <BuildFrequency
        org={org}
        name={name}
        days={days}
        onDays={next => onChange(dropUndefined({ days: next, environment, page: search.page }))}
      />
      <Title order={2} size="h4">
        {texts.build.builds}
      </Title>
      <Table.ScrollContainer minWidth={720}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.build.artifact}</Table.Th>
              <Table.Th>{texts.build.state}</Table.Th>
              <Table.Th>{texts.build.commit}</Table.Th>
              <Table.Th>{texts.build.flow}</Table.Th>
              <Table.Th>{texts.build.build}</Table.Th>
              <Table.Th>{texts.build.reported}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {builds.data.map(artifact => (
              <BuildRow key={artifact.id} org={org} artifact={artifact} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <CursorPager
        noun="build"
        onFirst={page === 1 ? undefined : () => onChange({ ...search, page: 1 })}
        onNext={builds.data.length < PER_PAGE ? undefined : () => onChange({ ...search, page: page + 1 })}
      />
    </Stack>
  )
}

function BuildRow({ org, artifact }: { org: string; artifact: Schemas['Artifact'] }) {
  return (
    <Table.Tr>
      <Table.Td>
        <ArtifactLink
          org={org}
          flow={artifact.flow_name}
          fingerprint={artifact.fingerprint}
          artifact_id={artifact.id}
        >
          {artifact.filename}
        </ArtifactLink>
      </Table.Td>
      <Table.Td>
        <StateBadge by="template" state={artifact.state} />
      </Table.Td>
      <Table.Td>
        <CommitLink sha={artifact.git_commit} url={artifact.commit_url} />
      </Table.Td>
      <Table.Td>
        <FlowLink org={org} flow={artifact.flow_name} />
      </Table.Td>
      <Table.Td>
        <ExternalLink href={artifact.build_url}>{texts.build.viewBuild}</ExternalLink>
      </Table.Td>
      <Table.Td>
        <RelativeTime at={artifact.created_at} />
      </Table.Td>
    </Table.Tr>
  )
}

function NoBuilds({ org, name }: { org: string; name: string }) {
  const command = buildCurl('POST', buildApiPath('artifacts', org, 'FLOW'), {
    fingerprint: 'SHA256_OF_THE_ARTIFACT',
    filename: 'backend:1.0',
    git_commit: 'SHA1_OF_THE_COMMIT',
    build_url: 'https://ci.example/builds/1',
    commit_url: 'https://git.example/commit/1',
    trail_name: 'release-1',
    template_reference_name: 'backend',
    repo_info: { id: '1', name, url: 'https://git.example' },
  })
  return (
    <Empty title={texts.build.none} command={command}>
      {texts.build.noneHint}
    </Empty>
  )
}
