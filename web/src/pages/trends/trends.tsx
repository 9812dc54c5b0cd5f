// The page with an organization's trends.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CoverageView } from '../coverage-trends/coverage.tsx'
import { DeploymentTrendsView } from './deployment-trends.tsx'
import { deploymentTrendsQuery } from './queries.ts'
import { deploymentTrendTexts as texts } from './texts.ts'

const FROM = '/$org/trends'

export function TrendsPage() {
  const { org } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const deployments = useQuery(deploymentTrendsQuery(org, search))
  const navigate = useNavigate({ from: FROM })
  return (
    <Stack>
      <Title order={1}>{texts.title}</Title>
      <DeploymentTrendsView
        org={org}
        search={search}
        onChange={next => void navigate({ search: next, replace: true })}
      />
      <CoverageView org={org} search={search} hasEnvironments shownError={deployments.error} />
    </Stack>
  )
}
