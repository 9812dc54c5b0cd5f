// Asks before the user leaves a page with unsaved text: in a dialog for another page of the app, by the
// browser for anything else. While the guard is active, an expired session does not redirect either.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { uiTexts as texts } from './texts.ts'
import { unsaved } from './unsaved.ts'

export function LeaveGuard({ isUnsaved }: { isUnsaved: () => boolean }) {
  const latest = useRef(isUnsaved)
  latest.current = isUnsaved
  useEffect(() => unsaved.add(() => latest.current()), [])
  const { status, proceed, reset } = useBlocker({
    // Filters of the same page keep the form; another tab of the page does not.
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || readTab(current.search) !== readTab(next.search)) &&
      latest.current(),
    enableBeforeUnload: () => latest.current(),
    withResolver: true,
  })
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={texts.leave.title}
      closeButtonProps={{ 'aria-label': texts.dialog.close }}
    >
      <Stack>
        <Text>{texts.leave.question}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={() => reset?.()}>
            {texts.leave.stay}
          </Button>
          <Button color="red" onClick={() => proceed?.()}>
            {texts.leave.leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const readTab = (search: object): unknown => ('tab' in search ? search.tab : undefined)
