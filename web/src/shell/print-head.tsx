// What a printed page says about itself: its address, and when it was printed. Screens do not show it.
import { useRouterState } from '@tanstack/react-router'
import { useClock } from '../parts/use-clock.ts'
import { useTimeZone } from '../parts/use-time-zone.ts'
import { formatExact } from '../ui/local-time.ts'
import { shellTexts as texts } from './texts.ts'

const MINUTE_MS = 60_000

export function PrintHead() {
  const zone = useTimeZone()
  const path = useRouterState({ select: ({ location }) => location.href })
  // To the minute, so that it is not drawn again every second.
  const shown = useClock(now_ms => formatExact((now_ms - (now_ms % MINUTE_MS)) / 1000, zone))
  // As an attribute, so that nothing finds it in the text of a screen.
  return <div className="print-head" data-text={texts.print(window.location.origin + path, shown)} />
}
