// How a band draws states and deployments, and the legend that explains it.
import { Group, Text } from '@mantine/core'
import { useId } from 'react'
import { formatState } from '../../parts/state-badge.tsx'
import { historyTexts as texts } from './texts-history.ts'

const MAX_MARK_WIDTH = 7
const MIN_MARK_WIDTH = 3
/** The width of a band on a phone. */
const MARKS_WIDTH = 320

/** Ids inside an SVG are global to the page, so each SVG needs its own prefix. */
export const toPatternsPrefix = (id: string) => id.replace(/[^a-zA-Z0-9]/g, '')

/** Narrower if there are many cells. */
export function Mark({ x, among, height }: { x: number; among: number; height: number }) {
  const half = Math.min(MAX_MARK_WIDTH, Math.max(MIN_MARK_WIDTH, MARKS_WIDTH / among)) / 2
  return <path className="band-mark" d={`M ${x - half} 1 L ${x + half} 1 L ${x} ${height - 2} Z`} />
}

export function Patterns({ prefix }: { prefix: string }) {
  return (
    <defs>
      <pattern id={`${prefix}-hatched`} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect className="band-non-compliant" width="6" height="6" />
        <path className="band-over" d="M -1 7 L 7 -1" />
      </pattern>
      <pattern id={`${prefix}-dotted`} width="5" height="5" patternUnits="userSpaceOnUse">
        <rect className="band-unknown" width="5" height="5" />
        <circle className="band-dot" cx="2.5" cy="2.5" r="1" />
      </pattern>
      <pattern id={`${prefix}-lined`} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect className="band-stale" width="4" height="4" />
        <path className="band-over" d="M 0 2 L 4 2" />
      </pattern>
    </defs>
  )
}

export function BandLegend({
  hasStale,
  hasDeployments = true,
}: {
  hasStale: boolean
  hasDeployments?: boolean
}) {
  const prefix = toPatternsPrefix(useId())
  const kinds = [
    { word: 'COMPLIANT', look: { className: 'band-compliant' } },
    { word: 'NON-COMPLIANT', look: { fill: `url(#${prefix}-hatched)` } },
    { word: 'UNKNOWN', look: { fill: `url(#${prefix}-dotted)` } },
    ...(hasStale ? [{ word: 'STALE', look: { fill: `url(#${prefix}-lined)` } }] : []),
  ]
  return (
    <Group gap="md" aria-hidden="true">
      {kinds.map(({ word, look }) => (
        <Group key={word} gap={6} wrap="nowrap">
          <svg width="16" height="12" focusable="false" aria-hidden="true">
            <Patterns prefix={prefix} />
            <rect width="16" height="12" {...look} />
          </svg>
          <Text size="xs">{formatState(word)}</Text>
        </Group>
      ))}
      {hasDeployments && (
        <Group gap={6} wrap="nowrap">
          <svg width="9" height="10" focusable="false" aria-hidden="true">
            <Mark x={4.5} among={1} height={10} />
          </svg>
          <Text size="xs">{texts.timeline.deployment}</Text>
        </Group>
      )}
    </Group>
  )
}
