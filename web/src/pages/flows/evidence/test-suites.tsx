// Test results: a table of suites, and their sum.
import { Stack, Table, Title } from '@mantine/core'
import type { Schemas } from '../../../parts/schemas.ts'

type Suite = Schemas['JunitSuite']

export function TestSuites({ suites }: { suites: Suite[] }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Test suites
      </Title>
      <Table.ScrollContainer minWidth={420}>
        <Table aria-label="Test suites">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Suite</Table.Th>
              <Table.Th>Tests</Table.Th>
              <Table.Th>Failures</Table.Th>
              <Table.Th>Errors</Table.Th>
              <Table.Th>Skipped</Table.Th>
              <Table.Th>Seconds</Table.Th>
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
              <SuiteRow suite={sumOf(suites)} />
            </Table.Tfoot>
          )}
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}

function SuiteRow({ suite }: { suite: Suite }) {
  const isBroken = suite.failures + suite.errors > 0
  return (
    <Table.Tr fw={isBroken ? 700 : undefined}>
      <Table.Th scope="row" className="fingerprint">
        {suite.name}
        {isBroken && ' (failed)'}
      </Table.Th>
      <Table.Td>{suite.total}</Table.Td>
      <Table.Td>{suite.failures}</Table.Td>
      <Table.Td>{suite.errors}</Table.Td>
      <Table.Td>{suite.skipped}</Table.Td>
      <Table.Td>{suite.duration.toFixed(1)}</Table.Td>
    </Table.Tr>
  )
}

function sumOf(suites: Suite[]): Suite {
  const sum = (key: 'total' | 'failures' | 'errors' | 'skipped' | 'duration') =>
    suites.reduce((total, suite) => total + suite[key], 0)
  return {
    name: 'All suites',
    total: sum('total'),
    failures: sum('failures'),
    errors: sum('errors'),
    skipped: sum('skipped'),
    duration: sum('duration'),
  }
}
