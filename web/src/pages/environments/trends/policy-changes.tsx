// Changes of an environment's policies, numbered as in the chart.
import { Stack, Text, Title } from '@mantine/core'
import { PolicyLink, SnapshotLink } from '../../../parts/links.tsx'
import type { Schemas } from '../../../parts/schemas.ts'
import { ExactTime } from '../../../parts/time.tsx'
import { groupMarks, type Marked } from '../../../ui/chart/group-marks.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import type { Column } from '../../../ui/sort-rows.ts'
import type { PolicyChange } from './queries.ts'
import { trendTexts as texts } from './texts.ts'

type PolicyChanges = Schemas['PolicyChanges']

export const groupChanges = (policies: PolicyChanges): Marked<PolicyChange>[] =>
  groupMarks(policies.changes, ({ timestamp }) => timestamp, policies)

/** One sentence for all changes at a mark. */
export const describeChanges = (changes: readonly PolicyChange[]): string =>
  changes.map(each => texts.policies.ofPolicy(each.policy_name, describeChange(each))).join('; ')

function describeChange({ version, previous_version }: PolicyChange): string {
  if (version === null) return texts.policies.detached(previous_version ?? 0)
  if (previous_version === null) return texts.policies.attached(version)
  return texts.policies.updated(previous_version, version)
}

interface PolicyChangesTableProps {
  org: string
  policies: PolicyChanges
  marked: readonly Marked<PolicyChange>[]
}

type Row = PolicyChange & { number: number }

export function PolicyChangesTable({ org, policies, marked }: PolicyChangesTableProps) {
  const rows = marked
    .flatMap(({ number, items }) => items.map((item): Row => ({ ...item, number })))
    .toReversed()
  return (
    <Stack gap="xs" component="section" aria-label={texts.policies.title}>
      <Title order={2} size="h3">
        {texts.policies.title}
      </Title>
      {rows.length === 0 ? (
        <Text c="dimmed">{texts.policies.none}</Text>
      ) : (
        <DataTable
          caption={texts.policies.caption}
          columns={buildColumns(org)}
          rows={rows}
          getKey={row => `${row.environment_name} ${row.snapshot_index} ${row.policy_name}`}
        />
      )}
      {policies.known_since > policies.from && (
        <Text size="sm" c="dimmed">
          {texts.policies.knownSince} <ExactTime at={policies.known_since} />
        </Text>
      )}
    </Stack>
  )
}

const buildColumns = (org: string): Column<Row>[] => [
  { title: texts.policies.mark, render: ({ number }) => number },
  {
    title: texts.policies.when,
    sortBy: ({ timestamp }) => timestamp,
    first: 'descending',
    render: ({ timestamp }) => <ExactTime at={timestamp} />,
  },
  {
    title: texts.policies.change,
    sortBy: ({ policy_name }) => policy_name,
    render: row => (
      <>
        <PolicyLink org={org} policy={row.policy_name} /> {describeChange(row)}
      </>
    ),
  },
  {
    title: texts.policies.snapshot,
    render: ({ environment_name, snapshot_index }) => (
      <SnapshotLink org={org} environment={environment_name} index={snapshot_index} />
    ),
  },
]
