// The table of controls and environments: its first column stays in place while the environments scroll.
import { Table, Text, VisuallyHidden } from '@mantine/core'
import { EnvironmentLink } from '../../parts/links.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ControlStateBadge } from './control-state.tsx'
import styles from './matrix.module.css'
import type { StateCell, StateMatrix } from './state-queries.ts'
import { stateTexts as texts } from './texts-states.ts'

export function MatrixTable({ org, matrix }: { org: string; matrix: StateMatrix }) {
  const { environments, controls } = matrix
  return (
    <Table.ScrollContainer minWidth={120 + environments.length * 128}>
      <Table withTableBorder withColumnBorders>
        <VisuallyHidden component="caption">{texts.matrix.caption}</VisuallyHidden>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" className={styles.control}>
              {texts.matrix.control}
            </Table.Th>
            {environments.map(({ name }) => (
              <Table.Th key={name} scope="col" miw={110}>
                <EnvironmentLink org={org} environment={name} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {controls.map(({ identifier, name, environments: cells }) => (
            <Table.Tr key={identifier}>
              <Table.Th scope="row" fw={400} className={styles.control}>
                <PageLink to="/$org/controls/$identifier" params={{ org, identifier }}>
                  {identifier}
                </PageLink>
                <Text size="sm">{name}</Text>
              </Table.Th>
              {cells.map(cell => (
                <Table.Td key={cell.environment_name} className={styles.cell}>
                  <Cell org={org} identifier={identifier} cell={cell} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
