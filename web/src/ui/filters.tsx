// Filters that write the query of the address: a text (delayed while typing), a day, a time, and a button
// that clears all of them.
import { Button, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { formatMinuteField, parseTime, type TimeZone } from './local-time.ts'
import { readText } from './search-params.ts'
import { uiTexts as texts } from './texts.ts'
import type { FieldProps } from './use-draft.ts'

const TYPING_DELAY_MS = 300

interface FilterProps<T> {
  label: string
  value: T | undefined
  onChange: (value: T | undefined) => void
}

export function TextFilter({
  label,
  value = '',
  placeholder,
  onChange,
}: FilterProps<string> & { placeholder?: string }) {
  const [typed, setTyped] = useState(value)
  const changeSoon = useDebouncedCallback((text: string) => onChange(readText(text)), TYPING_DELAY_MS)
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      w={{ base: '100%', xs: 220 }}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        changeSoon(currentTarget.value)
      }}
    />
  )
}

export function DayFilter({ label, value, onChange }: FilterProps<string>) {
  return (
    <TextInput
      type="date"
      label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(readText(currentTarget.value))}
    />
  )
}

/** The value is in seconds since 1970, shown in the reader's time zone. */
export function TimeFilter({
  label,
  value,
  zone = 'local',
  onChange,
  ...field
}: FilterProps<number> & Partial<FieldProps<number | undefined>> & { zone?: TimeZone }) {
  return (
    <TextInput
      {...field}
      type="datetime-local"
      label={label}
      value={formatMinuteField(value, zone)}
      onChange={({ currentTarget }) => onChange(parseTime(currentTarget.value, zone))}
    />
  )
}

export function ClearFilters({ onClear }: { onClear: () => void }) {
  return (
    <Button variant="subtle" onClick={onClear}>
      {texts.filters.clear}
    </Button>
  )
}
