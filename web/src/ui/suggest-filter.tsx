// A text filter that suggests existing values. Any other text is accepted too.
import { Autocomplete } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { readText } from './search-params.ts'

const TYPING_DELAY_MS = 300
const MAX_SHOWN = 50

interface SuggestFilterProps {
  label: string
  value: string | undefined
  suggestions: readonly string[]
  onChange: (value: string | undefined) => void
}

export function SuggestFilter({ label, value = '', suggestions, onChange }: SuggestFilterProps) {
  const [typed, setTyped] = useState(value)
  const changeSoon = useDebouncedCallback((text: string) => onChange(readText(text)), TYPING_DELAY_MS)
  useEffect(() => setTyped(value), [value])
  return (
    <Autocomplete
      label={label}
      data={[...new Set(suggestions)]}
      limit={MAX_SHOWN}
      w={{ base: '100%', xs: 220 }}
      value={typed}
      onChange={text => {
        setTyped(text)
        changeSoon(text)
      }}
    />
  )
}
