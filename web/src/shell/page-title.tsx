// The window title, which is also announced to screen readers when another page opens.
import { VisuallyHidden } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { shellTexts as texts } from './texts.ts'

export function PageTitle() {
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation })
  const title = buildTitle(shown?.pathname ?? '/')
  const address = shown?.href
  useEffect(() => {
    document.title = title
    // While the next page loads, the address bar is ahead of the screen; browser tests wait for this.
    if (address !== undefined) document.documentElement.dataset.address = location.pathname + location.search
  }, [title, address])
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {title}
    </VisuallyHidden>
  )
}

const MAX_PART_LENGTH = 40

/** The most specific part comes first: `production · environments · harbour-bank · Waybill`. */
function buildTitle(pathname: string): string {
  const parts = pathname
    .split('/')
    .filter(part => part !== '')
    .map(part => shorten(decode(part)))
  return [...parts.reverse(), texts.product].join(' · ')
}

const shorten = (part: string) =>
  part.length > MAX_PART_LENGTH ? `${part.slice(0, MAX_PART_LENGTH)}…` : part

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // The address has a stray percent sign.
    return part
  }
}
