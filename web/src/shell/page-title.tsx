// The title of the window, which also tells those who hear the pages that another one has opened.
import { VisuallyHidden } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

export function PageTitle() {
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation })
  const title = buildTitle(shown?.pathname ?? '/')
  const address = shown?.href
  useEffect(() => {
    document.title = title
    // While the next page is loaded the address bar is ahead of what is on the screen.
    if (address !== undefined) document.documentElement.dataset.address = location.pathname + location.search
  }, [title, address])
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {title}
    </VisuallyHidden>
  )
}

const MAX_PART_LENGTH = 40

/** What one looks at first: `production · environments · harbour-bank · Waybill`. */
function buildTitle(pathname: string): string {
  const parts = pathname
    .split('/')
    .filter(part => part !== '')
    .map(part => shorten(decode(part)))
  return [...parts.reverse(), 'Waybill'].join(' · ')
}

const shorten = (part: string) =>
  part.length > MAX_PART_LENGTH ? `${part.slice(0, MAX_PART_LENGTH)}…` : part

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Somebody typed a stray percent sign.
    return part
  }
}
