// What importing a catalogue would change, control by control.
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { ControlLink } from '../../parts/links.tsx'
import type { Imported } from './queries.ts'

/** More than anybody reads; the counts tell about the rest. */
const MOST_SHOWN = 500

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
        What would change
      </Title>
      <Text>
        {created} would be created, {updated} updated, {archived} archived and {unarchived} unarchived;{' '}
        {unchanged} would stay as they are.
      </Text>
      {changed.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Control</Table.Th>
              <Table.Th>Would be</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changed.slice(0, MOST_SHOWN).map(({ identifier, change }) => (
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
      {changed.length > MOST_SHOWN && <Text size="sm">The first {MOST_SHOWN} are shown.</Text>}
      <Group>
        <Button disabled={changed.length === 0} loading={isImporting} onClick={onImport}>
          Import
        </Button>
      </Group>
    </Stack>
  )
}
