// The search dialog: type, select with the arrow keys, open with Enter. An exact or only match opens at once,
// even if Enter comes before the results.
import { Loader, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useRole } from '../../parts/use-role.ts'
import { formatCount } from '../../ui/format-count.ts'
import { findCommands, type PageEntry } from './commands.ts'
import type { Hit, Place } from './hits.ts'
import { type Choice, PaletteHits } from './palette-hits.tsx'
import { parseQuery, SEARCH_HELP } from './queries.ts'
import { searchTexts as texts } from './texts.ts'
import { type Found, useHits } from './use-hits.ts'

const TYPING_DELAY_MS = 200
/** The limit for each kind of result. */
const SHOWN_PER_KIND = 5

interface Props {
  org: string
  /** The pages that the user can open. */
  pages: readonly PageEntry[]
  opened: boolean
  onClose(): void
}

export function Palette({ org, pages, opened, onClose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={texts.title}
      size="lg"
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <Finder org={org} pages={pages} onClose={onClose} />
    </Modal>
  )
}

function Finder({ org, pages, onClose }: Omit<Props, 'opened'>) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(-1)
  const [isEntered, setIsEntered] = useState(false)
  const [settled] = useDebouncedValue(typed, TYPING_DELAY_MS)
  const query = parseQuery(isEntered ? typed : settled)
  const found = useHits(org, query)
  const navigate = useNavigate()
  const { hasRole } = useRole(org)
  const commands = findCommands(org, parseQuery(typed), { pages, hasRole })
  const results = found.groups.map(group => ({ ...group, hits: group.hits.slice(0, SHOWN_PER_KIND) }))
  const groups = [...commands, ...results].map(({ title, hits }) => ({
    title,
    choices: toChoices(title, hits),
  }))
  const choices = groups.flatMap(group => group.choices)
  const go = (place: Place) => {
    onClose()
    void navigate(place)
  }
  const isReady = query === parseQuery(typed) && !found.isPending
  useEffect(() => {
    if (!isEntered || !isReady) return
    setIsEntered(false)
    onClose()
    const only = choices.length === 1 ? choices[0]?.place : undefined
    void navigate(found.exact ?? only ?? { to: '/$org/search', params: { org }, search: { q: typed.trim() } })
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && choices.length > 0) {
      event.preventDefault()
      // With nothing selected, the up key selects the last.
      setChosen((Math.max(chosen, step < 0 ? 0 : -1) + step + choices.length) % choices.length)
    }
    if (event.key !== 'Enter') return
    const choice = choices[chosen]
    if (choice) go(choice.place)
    else if (typed.trim() !== '') setIsEntered(true)
  }
  return (
    <Stack>
      <TextInput
        aria-label={texts.field}
        placeholder={texts.field}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={choices.length > 0}
        aria-controls="search-hits"
        aria-activedescendant={choices[chosen]?.id}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={typed}
        rightSection={found.isPending ? <Loader size="xs" /> : null}
        onKeyDown={onKeyDown}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setChosen(-1)
          setIsEntered(false)
        }}
      />
      <PaletteHits groups={groups} chosen={choices[chosen]?.id} isBusy={!isReady} onChoose={go} />
      <Text size="sm" c="dimmed" role="status">
        {describeStatus(query, found, choices.length)}
      </Text>
    </Stack>
  )
}

function describeStatus(query: string, found: Found, count: number): string {
  if (query === '') return `${SEARCH_HELP} ${texts.shortcuts}`
  if (found.isPending) return texts.searching
  if (found.error) return texts.failed(found.error.message)
  if (count === 1) return texts.keysOnly(formatCount(1, texts.resultNoun))
  if (count === 0) return texts.nothingWithHelp(SEARCH_HELP)
  return found.exact ? texts.keysExact(found.summary) : texts.keysAll(found.summary)
}

function toChoices(title: string, hits: Hit[]): Choice[] {
  return hits
    .flatMap(({ place, ...hit }) => (place === undefined ? [] : [{ ...hit, place }]))
    .map((hit, at) => ({ id: `search-${title.toLowerCase().replaceAll(' ', '-')}-${at}`, ...hit }))
}
