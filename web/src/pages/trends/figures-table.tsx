// The figures behind the charts, one row for each time span.
import { ExactTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Details } from '../../ui/details.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { formatLeadTime, formatRate } from './figures.tsx'
import type { TrendBucket } from './queries.ts'
import { deploymentTrendTexts as texts } from './texts.ts'

export function FiguresTable({ buckets }: { buckets: readonly TrendBucket[] }) {
  return (
    <Details title={texts.table.open}>
      <DataTable
        caption={texts.table.caption}
        columns={COLUMNS}
        rows={buckets}
        getKey={({ from }) => String(from)}
        isWide
      />
    </Details>
  )
}

const count = (title: string, read: (bucket: TrendBucket) => number): Column<TrendBucket> => ({
  title,
  sortBy: read,
  first: 'descending',
  render: bucket => read(bucket).toLocaleString(),
})

const COLUMNS: Column<TrendBucket>[] = [
  { title: texts.table.from, render: ({ from }) => <ExactTime at={from} /> },
  { title: texts.table.to, render: ({ to }) => <ExactTime at={to} /> },
  count(texts.table.deployments, ({ deployments }) => deployments),
  {
    title: texts.table.leadTime,
    sortBy: ({ lead_time_p50 }) => lead_time_p50,
    first: 'descending',
    render: ({ lead_time_p50 }) => formatLeadTime(lead_time_p50),
  },
  count(texts.table.nonCompliant, ({ non_compliant }) => non_compliant),
  count(texts.table.rolledBack, ({ rolled_back }) => rolled_back),
  count(texts.table.unknown, ({ unknown }) => unknown),
  {
    title: texts.table.rate,
    sortBy: ({ change_failure_rate }) => change_failure_rate,
    first: 'descending',
    render: ({ change_failure_rate }) => formatRate(change_failure_rate),
  },
]
