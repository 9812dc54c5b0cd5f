// Explains until when messages to a target are paused, and why.
import { Text } from '@mantine/core'
import { ExactTime } from '../../parts/time.tsx'
import { notificationsTexts as texts } from './texts.ts'

interface PausedProps {
  target: { paused_until: number | null; paused_because: string | null }
}

export function PausedNote({ target }: PausedProps) {
  if (target.paused_until === null) return null
  return (
    <>
      <PausedLine target={target} />
      <Text size="sm" c="dimmed">
        {texts.target.pausedHelp}
      </Text>
    </>
  )
}

export function PausedLine({ target: { paused_until, paused_because } }: PausedProps) {
  if (paused_until === null || paused_because === null) return null
  return (
    <Text size="sm">
      {texts.target.pausedUntil} <ExactTime at={paused_until} />
      {texts.target.pausedBecause(paused_because)}
    </Text>
  )
}
