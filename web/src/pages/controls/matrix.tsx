// Which control is asked for in which environment, and by which policy: controls down, environments across.
import { Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { EnvironmentLink } from '../../parts/links.tsx'
import { policiesQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import styles from './matrix.module.css'
import { type Control, type Matrix, matrixControlsQuery, matrixQuery } from './queries.ts'
import { WithControls } from './with-controls.tsx'

export function CoverageMatrixPage() {
  const { org } = useParams({ from: '/$org/control-coverage' })
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
      <WithControls org={org}>
        <Coverage org={org} />
      </WithControls>
    </Stack>
  )
}

/** The matrix itself does not name the policies: which ask for a control, and to what each is attached, are two more answers. */
function Coverage({ org }: { org: string }) {
  const { page = 1 } = useSearch({ from: '/$org/control-coverage' })
  const navigate = useNavigate({ from: '/$org/control-coverage' })
  const matrix = useQuery(matrixQuery(org, page))
  const controls = useQuery(matrixControlsQuery(org, page))
  const policies = useQuery(policiesQuery(org))
  for (const { error } of [matrix, controls, policies]) if (error) return <ErrorAlert error={error} />
  if (!matrix.data || !controls.data || !policies.data) return <Loading />
  const turnTo = (next: number) => void navigate({ search: { page: next } })
  return (
    <>
      <MatrixTable
        org={org}
        matrix={matrix.data}
        policiesAt={policiesAt(controls.data, policies.data)}
        onPage={turnTo}
      />
      <Pager
        page={matrix.data.page}
        page_count={matrix.data.total_pages}
        total={matrix.data.total_count}
        noun="control"
        onChange={turnTo}
      />
    </>
  )
}

type PoliciesAt = (identifier: string, environment: string) => string[]

/** The policies that ask for a control and are attached to an environment. */
const policiesAt =
  (controls: readonly Control[], policies: readonly Schemas['Policy'][]): PoliciesAt =>
  (identifier, environment) => {
    const asking = controls.find(each => each.identifier === identifier)?.policies_referencing ?? []
    return policies
      .filter(({ name, consuming_envs }) => asking.includes(name) && consuming_envs.includes(environment))
      .map(({ name }) => name)
  }

interface TableProps {
  org: string
  matrix: Matrix
  policiesAt: PoliciesAt
  onPage: (page: number) => void
}

function MatrixTable({
  org,
  matrix: { environments, controls, total_count },
  policiesAt,
  onPage,
}: TableProps) {
  if (total_count === 0)
    return (
      <Empty title="No controls yet">
        Make one or import a catalogue on the{' '}
        <PageLink to="/$org/controls" params={{ org }}>
          page of controls
        </PageLink>
        .
      </Empty>
    )
  if (controls.length === 0) return <NoSuchPage onPage={onPage} />
  if (environments.length === 0)
    return (
      <Empty title="No environments yet">A control is asked for by the policies of an environment.</Empty>
    )
  return (
    <Table.ScrollContainer minWidth={120 + environments.length * 120}>
      <Table withTableBorder withColumnBorders>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" className={styles.control}>
              Control
            </Table.Th>
            {environments.map(environment => (
              <Table.Th key={environment} scope="col" miw={110}>
                <EnvironmentLink org={org} environment={environment} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {controls.map(({ identifier, name, covered }) => (
            <Table.Tr key={identifier}>
              <Table.Th scope="row" fw={400} className={styles.control}>
                <PageLink
                  to="/$org/controls/$identifier"
                  params={{ org, identifier }}
                  search={{ tab: 'coverage' }}
                >
                  {identifier}
                </PageLink>
                <Text size="sm">{name}</Text>
              </Table.Th>
              {environments.map(environment => (
                <Table.Td key={environment}>
                  <Cell
                    org={org}
                    isAsked={covered.includes(environment)}
                    policies={policiesAt(identifier, environment)}
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Cell({ org, isAsked, policies }: { org: string; isAsked: boolean; policies: string[] }) {
  if (!isAsked)
    return (
      <Text size="sm" c="dimmed">
        not asked
      </Text>
    )
  return (
    <>
      <Text size="sm" fw={600} c="var(--compliant)">
        ✓ asked{policies.length > 0 && ' by'}
      </Text>
      {policies.length > 0 && <PolicyLinks org={org} names={policies} />}
    </>
  )
}
