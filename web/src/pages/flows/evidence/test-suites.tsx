// Test results: a table of suites with totals.
import { Stack, Table, Title } from '@mantine/core'
import type { Schemas } from '../../../parts/schemas.ts'
import { evidenceTexts as texts } from './texts.ts'

type Suite = Schemas['JunitSuite']

export function TestSuites({ suites }: { suites: Suite[] }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {texts.tests.title}
      </Title>
      <Table.ScrollContainer minWidth={420}>
        <Table aria-label={texts.tests.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.tests.suite}</Table.Th>
              <Table.Th>{texts.tests.tests}</Table.Th>
              <Table.Th>{texts.tests.failures}</Table.Th>
              <Table.Th>{texts.tests.errors}</Table.Th>
              <Table.Th>{texts.tests.skipped}</Table.Th>
              <Table.Th>{texts.tests.seconds}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {suites.map((suite, position) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: suites may share a name, and the list never changes
              <SuiteRow key={position} suite={suite} />
            ))}
          </Table.Tbody>
          {suites.length > 1 && (
            <Table.Tfoot>
              <SuiteRow suite={sumSuites(suites)} />
            </Table.Tfoot>
          )}
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}

function SuiteRow({ suite }: { suite: Suite }) {
  const hasFailed = suite.failures + suite.errors > 0
  return (
    <Table.Tr fw={hasFailed ? 700 : undefined}>
      <Table.Th scope="row" className="fingerprint">
        {suite.name}
        {hasFailed && texts.tests.failed}
      </Table.Th>
      <Table.Td>{suite.total}</Table.Td>
      <Table.Td>{suite.failures}</Table.Td>
      <Table.Td>{suite.errors}</Table.Td>
      <Table.Td>{suite.skipped}</Table.Td>
      <Table.Td>{suite.duration.toFixed(1)}</Table.Td>
    </Table.Tr>
  )
}

function sumSuites(suites: Suite[]): Suite {
  const sum = (key: 'total' | 'failures' | 'errors' | 'skipped' | 'duration') =>
    suites.reduce((total, suite) => total + suite[key], 0)
  return {
    name: texts.tests.allSuites,
    total: sum('total'),
    failures: sum('failures'),
    errors: sum('errors'),
    skipped: sum('skipped'),
    duration: sum('duration'),
  }
}
