// The preview of an import, control by control.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { ControlLink } from '../../parts/links.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import type { Imported } from './queries.ts'
import { catalogueTexts as texts } from './texts-catalogue.ts'

/** More than anyone reads; the counts cover the rest. */
const MAX_SHOWN = 500

interface Props {
  org: string
  imported: Imported
  isImporting: boolean
  onImport: () => void
}

export function ImportChanges({ org, imported, isImporting, onImport }: Props) {
  const { created, updated, archived, unarchived, unchanged } = imported
  const changed = imported.controls.filter(({ change }) => change !== 'unchanged')
  return (
    <Stack>
      <Title order={2} size="h3">
        {texts.import.previewTitle}
      </Title>
      <Text>{texts.import.previewCounts(created, updated, archived, unarchived, unchanged)}</Text>
      {changed.length > 0 && (
        <DataTable
          caption={texts.import.caption}
          columns={listColumns(org)}
          rows={changed.slice(0, MAX_SHOWN)}
          getKey={({ identifier }) => identifier}
        />
      )}
      {changed.length > MAX_SHOWN && <Text size="sm">{texts.import.firstShown(MAX_SHOWN)}</Text>}
      <Group>
        <Button disabled={changed.length === 0} loading={isImporting} onClick={onImport}>
          {texts.import.import}
        </Button>
      </Group>
    </Stack>
  )
}

const listColumns = (org: string): Column<Imported['controls'][number]>[] => [
  {
    title: texts.import.control,
    sortBy: ({ identifier }) => identifier,
    render: ({ identifier, change }) => (
      <span className="fingerprint">
        {change === 'created' ? identifier : <ControlLink org={org} identifier={identifier} />}
      </span>
    ),
  },
  { title: texts.import.change, sortBy: ({ change }) => change, render: ({ change }) => change },
]
