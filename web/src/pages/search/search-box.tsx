// The search button of the header, with the shortcuts `/` and Ctrl-K. The dialog is loaded when it is first opened.
import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { loadLater } from '../../live/load-later.ts'
import type { PageEntry } from './commands.ts'
import { searchTexts as texts } from './texts.ts'

const Palette = lazy(async () => ({ default: (await loadLater(() => import('./palette.tsx'))).Palette }))

export function SearchBox({ org, pages }: { org: string; pages: readonly PageEntry[] }) {
  const [opened, setOpened] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const open = () => {
    setWasOpened(true)
    setOpened(true)
  }
  useHotkeys([['/', open]])
  // Works inside text fields, too.
  useHotkeys([['mod + K', open]], [])
  return (
    <>
      <ActionIcon
        variant="default"
        size="lg"
        hiddenFrom="sm"
        aria-label={texts.open}
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
        {texts.open}
      </Button>
      {wasOpened && (
        <Suspense>
          <Palette org={org} pages={pages} opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}
