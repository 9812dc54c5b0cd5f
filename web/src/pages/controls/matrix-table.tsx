// The table of controls and environments.
import { Table, Text } from '@mantine/core'
import { EnvironmentLink } from '../../parts/links.tsx'
import { MatrixFrame, MatrixRow } from '../../ui/matrix-frame.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ControlStateBadge } from './control-state.tsx'
import type { StateCell, StateMatrix } from './state-queries.ts'
import { stateTexts as texts } from './texts-states.ts'

export function MatrixTable({ org, matrix }: { org: string; matrix: StateMatrix }) {
  const { environments, controls } = matrix
  const columns = environments.map(({ name }) => ({
    key: name,
    head: <EnvironmentLink org={org} environment={name} />,
  }))
  return (
    <MatrixFrame caption={texts.matrix.caption} rows={texts.matrix.control} columns={columns}>
      {controls.map(({ identifier, name, environments: cells }) => (
        <MatrixRow key={identifier} head={<ControlHead org={org} identifier={identifier} name={name} />}>
          {cells.map(cell => (
            <Table.Td key={cell.environment_name}>
              <Cell org={org} identifier={identifier} cell={cell} />
            </Table.Td>
          ))}
        </MatrixRow>
      ))}
    </MatrixFrame>
  )
}

function ControlHead({ org, identifier, name }: { org: string; identifier: string; name: string }) {
  return (
    <>
      <PageLink to="/$org/controls/$identifier" params={{ org, identifier }}>
        {identifier}
      </PageLink>
      <Text size="sm">{name}</Text>
    </>
  )
}

function Cell({ org, identifier, cell }: { org: string; identifier: string; cell: StateCell }) {
  const { state, environment_name: environment } = cell
  const note = describeCell(cell)
  return (
    <>
      <PageLink
        to="/$org/controls/$identifier/environments/$environment"
        params={{ org, identifier, environment }}
        aria-label={texts.matrix.open(texts.states[state], identifier, environment)}
      >
        <ControlStateBadge state={state} />
      </PageLink>
      {note !== null && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </>
  )
}

function describeCell({ state, unknown_because, artifact_count, policies }: StateCell): string | null {
  if (unknown_because !== null) return texts.because[unknown_because]
  const { met, failing, expired } = artifact_count
  if (state === 'failing') return texts.matrix.failing(failing, countArtifacts(artifact_count))
  if (state === 'expired') return texts.matrix.expired(expired, countArtifacts(artifact_count))
  if (state === 'met') return texts.matrix.met(met)
  return policies.length > 0 ? texts.matrix.nothingApplies : null
}

export const countArtifacts = (counts: StateCell['artifact_count']): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
