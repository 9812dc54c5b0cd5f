// The head of a printed page: its address, and when it was printed. Not shown on screen.
import { useRouterState } from '@tanstack/react-router'
import { useClock } from '../parts/use-clock.ts'
import { useTimeZone } from '../parts/use-time-zone.ts'
import { formatExact } from '../ui/local-time.ts'
import { shellTexts as texts } from './texts.ts'

const MINUTE_MS = 60_000

export function PrintHead() {
  const zone = useTimeZone()
  const path = useRouterState({ select: ({ location }) => location.href })
  // To the minute, to avoid rendering it every second.
  const shown = useClock(now_ms => formatExact((now_ms - (now_ms % MINUTE_MS)) / 1000, zone))
  // An attribute, so that a search in the page does not find it.
  return <div className="print-head" data-text={texts.print(window.location.origin + path, shown)} />
}
