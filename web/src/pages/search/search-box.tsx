// The way to the search from every page: a button in the header, `/` and Ctrl-K. The box itself is loaded when it is first
// opened.
import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

export function SearchBox({ org }: { org: string }) {
  const [opened, setOpened] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const open = () => {
    setWasOpened(true)
    setOpened(true)
  }
  useHotkeys([['/', open]])
  // Also while somebody is typing into a field, as it is everywhere else.
  useHotkeys([['mod + K', open]], [])
  return (
    <>
      <ActionIcon
        variant="default"
        size="lg"
        hiddenFrom="sm"
        aria-label="Search"
        aria-haspopup="dialog"
        onClick={open}
      >
        <IconSearch size={16} aria-hidden />
      </ActionIcon>
      <Button
        variant="default"
        visibleFrom="sm"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd aria-hidden>/</Kbd>}
        aria-keyshortcuts="/ Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={open}
      >
        Search
      </Button>
      {wasOpened && (
        <Suspense>
          <Palette org={org} opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}
