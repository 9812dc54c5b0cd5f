// The builds of a repository: how often, and each build, newest first.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ArtifactLink, CommitLink, FlowLink } from '../../parts/links.tsx'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { CursorPager } from '../../ui/pager.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
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
      <DataTable
        caption={texts.build.builds}
        columns={listColumns(org)}
        rows={builds.data}
        getKey={({ id }) => id}
      />
      <CursorPager
        noun="build"
        onFirst={page === 1 ? undefined : () => onChange({ ...search, page: 1 })}
        onNext={builds.data.length < PER_PAGE ? undefined : () => onChange({ ...search, page: page + 1 })}
      />
    </Stack>
  )
}

/** No column sorts: a page is part of a history, newest first. */
const listColumns = (org: string): Column<Schemas['Artifact']>[] => [
  {
    title: texts.build.artifact,
    render: ({ id, flow_name, fingerprint, filename }) => (
      <ArtifactLink org={org} flow={flow_name} fingerprint={fingerprint} artifact_id={id}>
        {filename}
      </ArtifactLink>
    ),
  },
  { title: texts.build.state, render: ({ state }) => <StateBadge by="template" state={state} /> },
  {
    title: texts.build.commit,
    render: ({ git_commit, commit_url }) => <CommitLink sha={git_commit} url={commit_url} />,
  },
  { title: texts.build.flow, render: ({ flow_name }) => <FlowLink org={org} flow={flow_name} /> },
  {
    title: texts.build.build,
    render: ({ build_url }) => <ExternalLink href={build_url}>{texts.build.viewBuild}</ExternalLink>,
  },
  { title: texts.build.reported, render: ({ created_at }) => <RelativeTime at={created_at} /> },
]

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
