// Which control is asked for in which environment: controls down, environments across.
import { Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { EnvironmentLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { matrixQuery } from './queries.ts'

type Matrix = Schemas['ControlCoverageMatrix']

export function CoverageMatrixPage() {
  const { org } = useParams({ from: '/$org/control-coverage' })
  const { page = 1 } = useSearch({ from: '/$org/control-coverage' })
  const navigate = useNavigate({ from: '/$org/control-coverage' })
  const matrix = useQuery(matrixQuery(org, page))
  return (
    <Stack>
      <Crumbs here="Coverage">
        <PageLink to="/$org/controls" params={{ org }}>
          Controls
        </PageLink>
      </Crumbs>
      <Title order={1}>Coverage</Title>
      <Text>
        Where a policy asks for a decision on a control. It tells what is demanded, not what is met.
      </Text>
      {matrix.isPending ? (
        <Loading />
      ) : matrix.error ? (
        <Failed error={matrix.error} />
      ) : (
        <>
          <MatrixTable org={org} matrix={matrix.data} />
          <Pager
            page={matrix.data.page}
            page_count={matrix.data.total_pages}
            total={matrix.data.total_count}
            noun="control"
            onChange={next => void navigate({ search: { page: next } })}
          />
        </>
      )}
    </Stack>
  )
}

function MatrixTable({ org, matrix: { environments, controls } }: { org: string; matrix: Matrix }) {
  if (controls.length === 0)
    return <Empty title="No controls yet">Make one or import a catalogue on the page of controls.</Empty>
  if (environments.length === 0)
    return (
      <Empty title="No environments yet">A control is asked for by the policies of an environment.</Empty>
    )
  return (
    <Table.ScrollContainer minWidth={280 + environments.length * 110}>
      <Table withTableBorder withColumnBorders highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Control</Table.Th>
            {environments.map(environment => (
              <Table.Th key={environment} scope="col">
                <EnvironmentLink org={org} environment={environment} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {controls.map(control => (
            <MatrixRow key={control.identifier} org={org} control={control} environments={environments} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface RowProps {
  org: string
  control: Matrix['controls'][number]
  environments: string[]
}

function MatrixRow({ org, control: { identifier, name, covered }, environments }: RowProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        <PageLink to="/$org/controls/$identifier" params={{ org, identifier }} search={{ tab: 'coverage' }}>
          {identifier}
        </PageLink>
        <Text size="sm">{name}</Text>
      </Table.Th>
      {environments.map(environment => (
        <Table.Td key={environment} ta="center">
          {covered.includes(environment) ? (
            <Text size="sm" fw={600} c="var(--compliant)">
              ✓ asked
            </Text>
          ) : (
            <Text size="sm" c="dimmed">
              not asked
            </Text>
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}
