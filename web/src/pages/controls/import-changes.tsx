// The preview of an import, control by control.
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { ControlLink } from '../../parts/links.tsx'
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
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.import.control}</Table.Th>
              <Table.Th>{texts.import.change}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changed.slice(0, MAX_SHOWN).map(({ identifier, change }) => (
              <Table.Tr key={identifier}>
                <Table.Td className="fingerprint">
                  {change === 'created' ? identifier : <ControlLink org={org} identifier={identifier} />}
                </Table.Td>
                <Table.Td>{change}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
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
