// The deployments of a repository: how often, how fast, and what each one replaced.
import { Group, NativeSelect, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { dropUndefined } from '../../ui/search-params.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { DeploymentTable } from './deployment-table.tsx'
import { FrequencyCard } from './frequency-card.tsx'
import { PeriodSwitch } from './period-switch.tsx'
import { recentDeploymentsQuery } from './queries.ts'
import { DEFAULT_DAYS, type RepoSearch } from './search.ts'
import { repoTexts as texts } from './texts-repos.ts'

/** Each card costs a request. */
const MAX_CARDS = 12

interface RepoReleaseProps {
  org: string
  name: string
  search: RepoSearch
  onChange: (next: RepoSearch) => void
}

export function RepoRelease({ org, name, search, onChange }: RepoReleaseProps) {
  const { days = DEFAULT_DAYS, environment } = search
  const recent = useQuery(recentDeploymentsQuery(org, name, days))
  if (recent.isPending) return <Loading />
  if (recent.error) return <ErrorAlert error={recent.error} />
  const routes = listRoutes(recent.data.deployments)
  const environments = [...new Set(routes.map(route => route.environment))].sort()
  const shown = routes.filter(route => environment === undefined || route.environment === environment)
  return (
    <Stack>
      <Group align="end">
        <PeriodSwitch days={days} onChange={next => onChange(dropUndefined({ days: next, environment }))} />
        <NativeSelect
          label={texts.release.environment}
          value={environment ?? ''}
          data={[
            { value: '', label: texts.release.all },
            ...new Set([...environments, ...(environment === undefined ? [] : [environment])]),
          ]}
          onChange={({ currentTarget: { value } }) =>
            onChange(dropUndefined({ days: search.days, environment: value === '' ? undefined : value }))
          }
        />
      </Group>
      {shown.length > 0 && (
        <>
          <Title order={2} size="h4">
            {texts.release.frequency}
          </Title>
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
            {shown.slice(0, MAX_CARDS).map(route => (
              <FrequencyCard key={`${route.environment} ${route.flow}`} org={org} days={days} {...route} />
            ))}
          </SimpleGrid>
          <Text size="xs" c="dimmed">
            {texts.release.counting}
          </Text>
        </>
      )}
      <Title order={2} size="h4">
        {texts.release.deployments}
      </Title>
      <DeploymentTable
        request={{ org, repo_name: name, days, environment, page: search.page ?? 1 }}
        onPage={page => onChange({ ...search, page })}
      />
    </Stack>
  )
}

/** Each pair of a flow and an environment that it deploys to. */
function listRoutes(deployments: { environment_name: string; flow_name: string | null }[]) {
  const routes = deployments.flatMap(({ environment_name: environment, flow_name: flow }) =>
    flow === null ? [] : [{ environment, flow }],
  )
  const by_key = new Map(routes.map(route => [`${route.environment} ${route.flow}`, route]))
  return [...by_key.values()].sort((a, b) => a.environment.localeCompare(b.environment))
}
