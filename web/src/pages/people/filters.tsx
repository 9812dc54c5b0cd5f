// Filters that are kept in the address: a text that waits until somebody has stopped typing, and a span of time.
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'

const STILL_TYPING_MS = 300
const MS_PER_SECOND = 1000
const MS_PER_MINUTE = 60_000
/** `2026-03-03T12:00` of `2026-03-03T12:00:00.000Z`. */
const TO_THE_MINUTE = 16

interface TextFilterProps {
  label: string
  value: string | undefined
  onChange(value: string | undefined): void
}

export function TextFilter({ label, value = '', onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value)
  const tell = useDebouncedCallback(
    (text: string) => onChange(text === '' ? undefined : text),
    STILL_TYPING_MS,
  )
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      label={label}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        tell(currentTarget.value)
      }}
    />
  )
}

interface TimeFilterProps {
  label: string
  /** In seconds since 1970. */
  value: number | undefined
  onChange(value: number | undefined): void
}

/** In the zone of the reader. */
export function TimeFilter({ label, value, onChange }: TimeFilterProps) {
  return (
    <TextInput
      label={label}
      type="datetime-local"
      value={value === undefined ? '' : localMinute(value)}
      onChange={({ currentTarget }) => {
        const chosen_ms = new Date(currentTarget.value).getTime()
        onChange(Number.isNaN(chosen_ms) ? undefined : Math.max(0, chosen_ms / MS_PER_SECOND))
      }}
    />
  )
}

function localMinute(at: number): string {
  const date = new Date(at * MS_PER_SECOND)
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * MS_PER_MINUTE)
  return shifted.toISOString().slice(0, TO_THE_MINUTE)
}
