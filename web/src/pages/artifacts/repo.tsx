// The page of a repository: its builds, its deployments and its running artifacts.
import { Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { TagEditor } from '../../parts/tags.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined, pickOne } from '../../ui/search-params.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { repoQuery } from './queries.ts'
import { RepoBuild } from './repo-build.tsx'
import { RepoRelease } from './repo-release.tsx'
import { RepoRun } from './repo-run.tsx'
import { REPO_VIEWS } from './search.ts'
import { repoTexts as texts } from './texts-repos.ts'

export function RepoPage() {
  const { org, _splat: name = '' } = useParams({ from: '/$org/repos/$' })
  const repo = useQuery(repoQuery(org, name))
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/repos" params={{ org }}>
          {texts.title}
        </PageLink>
      </Crumbs>
      <Title order={1} className="fingerprint">
        {name}
      </Title>
      {repo.isPending ? (
        <Loading />
      ) : repo.error ? (
        <ErrorAlert error={repo.error} />
      ) : (
        <>
          {repo.data.description !== '' && <Text>{repo.data.description}</Text>}
          <Text size="sm">
            <ExternalLink href={repo.data.url} />
          </Text>
          <TagEditor org={org} resource_type="repo" resource_id={repo.data.id} tags={repo.data.tags} />
          <Views org={org} name={name} />
        </>
      )}
    </Stack>
  )
}

function Views({ org, name }: { org: string; name: string }) {
  const search = useSearch({ from: '/$org/repos/$' })
  const navigate = useNavigate({ from: '/$org/repos/$' })
  const { view = 'build', days, environment } = search
  return (
    <Tabs
      value={view}
      keepMounted={false}
      onChange={next =>
        void navigate({ search: dropUndefined({ view: pickOne(next, REPO_VIEWS), days, environment }) })
      }
    >
      <Tabs.List mb="md">
        {REPO_VIEWS.map(each => (
          <Tabs.Tab key={each} value={each}>
            {texts.views[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="build">
        <RepoBuild
          org={org}
          name={name}
          search={search}
          onChange={next => void navigate({ search: { ...next, view } })}
        />
      </Tabs.Panel>
      <Tabs.Panel value="release">
        <RepoRelease
          org={org}
          name={name}
          search={search}
          onChange={next => void navigate({ search: { ...next, view } })}
        />
      </Tabs.Panel>
      <Tabs.Panel value="run">
        <RepoRun org={org} name={name} />
      </Tabs.Panel>
    </Tabs>
  )
}
