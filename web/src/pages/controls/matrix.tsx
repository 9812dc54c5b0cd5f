// The coverage matrix: which environment requires which control, by which policy.
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
import { catalogueTexts as texts } from './texts-catalogue.ts'
import { WithControls } from './with-controls.tsx'

export function CoverageMatrixPage() {
  const { org } = useParams({ from: '/$org/control-coverage' })
  return (
    <Stack>
      <Crumbs here={texts.matrix.title}>
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.controls}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.matrix.title}</Title>
      <Text>{texts.matrix.intro}</Text>
      <WithControls org={org}>
        <Coverage org={org} />
      </WithControls>
    </Stack>
  )
}

/** The matrix does not name the policies, so two more queries load what they require and where they are attached. */
function Coverage({ org }: { org: string }) {
  const { page = 1 } = useSearch({ from: '/$org/control-coverage' })
  const navigate = useNavigate({ from: '/$org/control-coverage' })
  const matrix = useQuery(matrixQuery(org, page))
  const controls = useQuery(matrixControlsQuery(org, page))
  const policies = useQuery(policiesQuery(org))
  for (const { error } of [matrix, controls, policies]) if (error) return <ErrorAlert error={error} />
  if (!matrix.data || !controls.data || !policies.data) return <Loading />
  const goTo = (next: number) => void navigate({ search: { page: next } })
  return (
    <>
      <MatrixTable
        org={org}
        matrix={matrix.data}
        findPolicies={createPolicyFinder(controls.data, policies.data)}
        onPage={goTo}
      />
      <Pager
        page={matrix.data.page}
        page_count={matrix.data.total_pages}
        total={matrix.data.total_count}
        noun="control"
        onChange={goTo}
      />
    </>
  )
}

type FindPolicies = (identifier: string, environment: string) => string[]

/** Finds the policies that require a control and are attached to an environment. */
const createPolicyFinder =
  (controls: readonly Control[], policies: readonly Schemas['Policy'][]): FindPolicies =>
  (identifier, environment) => {
    const requiring = controls.find(each => each.identifier === identifier)?.policies_referencing ?? []
    return policies
      .filter(({ name, consuming_envs }) => requiring.includes(name) && consuming_envs.includes(environment))
      .map(({ name }) => name)
  }

interface TableProps {
  org: string
  matrix: Matrix
  findPolicies: FindPolicies
  onPage: (page: number) => void
}

function MatrixTable({
  org,
  matrix: { environments, controls, total_count },
  findPolicies,
  onPage,
}: TableProps) {
  if (total_count === 0)
    return (
      <Empty title={texts.matrix.none}>
        {texts.matrix.noneHint}{' '}
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.matrix.controlsPage}
        </PageLink>
        .
      </Empty>
    )
  if (controls.length === 0) return <NoSuchPage onPage={onPage} />
  if (environments.length === 0)
    return <Empty title={texts.matrix.noEnvironments}>{texts.matrix.noEnvironmentsHint}</Empty>
  return (
    <Table.ScrollContainer minWidth={120 + environments.length * 120}>
      <Table withTableBorder withColumnBorders>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" className={styles.control}>
              {texts.matrix.control}
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
                    isRequired={covered.includes(environment)}
                    policies={findPolicies(identifier, environment)}
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

function Cell({ org, isRequired, policies }: { org: string; isRequired: boolean; policies: string[] }) {
  if (!isRequired)
    return (
      <Text size="sm" c="dimmed">
        {texts.matrix.notRequired}
      </Text>
    )
  return (
    <>
      <Text size="sm" fw={600} c="var(--compliant)">
        {policies.length > 0 ? texts.matrix.requiredBy : texts.matrix.required}
      </Text>
      {policies.length > 0 && <PolicyLinks org={org} names={policies} />}
    </>
  )
}
