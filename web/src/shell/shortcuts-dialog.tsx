// A dialog that lists all keyboard shortcuts.
import { Group, Kbd, Modal, Table } from '@mantine/core'
import type { NavigationLink } from './navigation-links.ts'
import { shellTexts as texts } from './texts.ts'

interface Props {
  pages: readonly NavigationLink[]
  opened: boolean
  onClose(): void
}

/** A key that is held while pressing the next one, or pressed before it. */
interface Shortcut {
  what: string
  keys: readonly string[]
}

const ALWAYS: readonly Shortcut[] = [
  { what: texts.shortcuts.search, keys: ['/'] },
  { what: texts.shortcuts.searchAnywhere, keys: ['Ctrl', 'K'] },
  { what: texts.shortcuts.help, keys: ['?'] },
  { what: texts.shortcuts.close, keys: ['Esc'] },
]

export function ShortcutsDialog({ pages, opened, onClose }: Props) {
  const shortcuts = [
    ...ALWAYS,
    ...pages.map(({ label, key }) => ({ what: texts.shortcuts.goTo(label), keys: ['g', key] })),
  ]
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={texts.shortcuts.title}
      closeButtonProps={{ 'aria-label': texts.shortcuts.closeDialog }}
    >
      <Table>
        <Table.Tbody>
          {shortcuts.map(({ what, keys }) => (
            <Table.Tr key={what}>
              <Table.Th scope="row" fw={400}>
                {what}
              </Table.Th>
              <Table.Td>
                <Group gap={4} wrap="nowrap" justify="flex-end">
                  {keys.map(key => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}
