// Whether a control is met in an environment: its state now, the evidence for it, and when it changed.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { ControlLink, EnvironmentLink } from '../../parts/links.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { CellEvidence } from './cell-evidence.tsx'
import { CellHistory } from './cell-history.tsx'
import { ControlStateBadge } from './control-state.tsx'
import { countArtifacts } from './matrix-table.tsx'
import { type CellPlace, type StateEvidence, stateEvidenceQuery } from './state-queries.ts'
import { stateTexts as texts } from './texts-states.ts'
import { WithControls } from './with-controls.tsx'

const FROM = '/$org/controls/$identifier/environments/$environment'

export function ControlCellPage() {
  const { org, identifier, environment } = useParams({ from: FROM })
  const title = texts.cell.title(identifier, environment)
  return (
    <Stack>
      <Crumbs here={environment}>
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.controls}
        </PageLink>
        <PageLink to="/$org/control-coverage" params={{ org }}>
          {texts.matrix.title}
        </PageLink>
        <ControlLink org={org} identifier={identifier} />
      </Crumbs>
      <Title order={1} className="long-name">
        {title}
      </Title>
      <WithControls org={org}>
        <Content org={org} identifier={identifier} environment={environment} />
      </WithControls>
    </Stack>
  )
}

function Content({ org, identifier, environment }: CellPlace) {
  const search = useSearch({ from: FROM })
  const evidence = useQuery(stateEvidenceQuery({ org, identifier, env_name: environment }, search))
  if (evidence.isPending) return <Loading />
  if (evidence.error) return <ErrorAlert error={evidence.error} />
  return (
    <>
      <Group gap="xs">
        <ControlStateBadge state={evidence.data.state} />
        <Text>{describeState(evidence.data)}</Text>
      </Group>
      <Group gap="xs">
        <Text size="sm">{texts.cell.environment}</Text>
        <EnvironmentLink org={org} environment={environment} />
        {evidence.data.policies.length > 0 && (
          <>
            <Text size="sm">{texts.cell.policies}</Text>
            <PolicyLinks org={org} names={evidence.data.policies} />
          </>
        )}
      </Group>
      <CellEvidence org={org} evidence={evidence.data} />
      <CellHistory org={org} identifier={identifier} environment={environment} />
    </>
  )
}

function describeState({ state, unknown_because, policies, artifact_count }: StateEvidence): string {
  if (unknown_because !== null) return texts.cell.unknown(texts.because[unknown_because])
  if (state === 'failing') return texts.cell.failing(artifact_count.failing, countArtifacts(artifact_count))
  if (state === 'expired') return texts.cell.expired(artifact_count.expired, countArtifacts(artifact_count))
  if (state === 'met') return texts.cell.met(artifact_count.met)
  return policies.length === 0 ? texts.cell.noPolicy : texts.cell.nothingApplies
}
