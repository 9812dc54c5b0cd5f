// The title of the window, which also tells those who hear the pages that another one has opened.
import { VisuallyHidden } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

export function PageTitle() {
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation })
  const title = titleOf(shown?.pathname ?? '/')
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

const LONGEST_PART = 40

/** What one looks at first: `production · environments · harbour-bank · Waybill`. */
function titleOf(pathname: string): string {
  const parts = pathname
    .split('/')
    .filter(part => part !== '')
    .map(part => shortened(decoded(part)))
  return [...parts.reverse(), 'Waybill'].join(' · ')
}

const shortened = (part: string) => (part.length > LONGEST_PART ? `${part.slice(0, LONGEST_PART)}…` : part)

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Somebody typed a stray percent sign.
    return part
  }
}
