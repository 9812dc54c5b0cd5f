// The box over any page: type, choose with the arrows, Enter goes there. A whole hash that is one artifact leads straight
// to it.
import { Box, Group, Loader, Modal, ScrollArea, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { StateBadge } from '../../parts/state-badge.tsx'
import type { Hit, HitGroup } from './hits.ts'
import classes from './palette.module.css'
import { useHits } from './use-hits.ts'

const STILL_TYPING_MS = 200
const SHOWN_OF_A_KIND = 5

interface Props {
  org: string
  opened: boolean
  onClose(): void
}

export function Palette({ org, opened, onClose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Search"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close the search' }}
    >
      <Finder org={org} onClose={onClose} />
    </Modal>
  )
}

interface Choice {
  id: string
  hit: Hit & { path: string }
}

function Finder({ org, onClose }: { org: string; onClose(): void }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(-1)
  const [asked] = useDebouncedValue(typed.trim(), STILL_TYPING_MS)
  const found = useHits(org, asked)
  const navigate = useNavigate()
  const groups = found.groups.map(({ title, hits }) => ({ title, choices: choicesOf(title, hits) }))
  const choices = groups.flatMap(group => group.choices)
  const go = (path: string) => {
    onClose()
    void navigate({ to: path })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && choices.length > 0) {
      event.preventDefault()
      setChosen((chosen + step + choices.length) % choices.length)
    }
    if (event.key !== 'Enter' || typed.trim() === '') return
    const path = choices[chosen]?.hit.path ?? (asked === typed.trim() ? found.exact : undefined)
    if (path !== undefined) return go(path)
    onClose()
    void navigate({ to: '/$org/search', params: { org }, search: { q: typed.trim() } })
  }
  return (
    <Stack>
      <TextInput
        aria-label="Commit, fingerprint or name"
        placeholder="Commit, fingerprint or name"
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls="search-hits"
        aria-activedescendant={choices[chosen]?.id}
        autoComplete="off"
        data-autofocus
        value={typed}
        rightSection={found.isPending ? <Loader size="xs" /> : null}
        onKeyDown={onKeyDown}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setChosen(-1)
        }}
      />
      <Hits groups={groups} chosen={choices[chosen]?.id} onChoose={go} />
      <Text size="sm" c="dimmed" role="status">
        {asked !== '' && !found.isPending && found.count === 0
          ? 'Nothing fits.'
          : 'Enter shows all results; the arrows choose one.'}
      </Text>
    </Stack>
  )
}

interface HitsProps {
  groups: { title: HitGroup['title']; choices: Choice[] }[]
  chosen: string | undefined
  onChoose(path: string): void
}

function Hits({ groups, chosen, onChoose }: HitsProps) {
  return (
    <ScrollArea.Autosize mah={400}>
      <div id="search-hits" role="listbox" aria-label="Found">
        {groups.map(({ title, choices }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
          <div key={title} role="group" aria-label={title}>
            <Text size="xs" fw={700} c="dimmed" mt="xs" aria-hidden>
              {title}
            </Text>
            {choices.map(({ id, hit }) => (
              <UnstyledButton
                key={id}
                id={id}
                role="option"
                aria-selected={id === chosen}
                className={classes.hit}
                tabIndex={-1}
                onClick={() => onChoose(hit.path)}
              >
                <Group justify="space-between" wrap="nowrap">
                  <Box className="fingerprint">
                    {hit.name}
                    <Text size="xs" c="dimmed">
                      {hit.detail}
                    </Text>
                  </Box>
                  {hit.verdict !== undefined && <StateBadge state={hit.verdict} />}
                </Group>
              </UnstyledButton>
            ))}
          </div>
        ))}
      </div>
    </ScrollArea.Autosize>
  )
}

function choicesOf(title: string, hits: Hit[]): Choice[] {
  return hits
    .flatMap(({ path, ...hit }) => (path === undefined ? [] : [{ ...hit, path }]))
    .slice(0, SHOWN_OF_A_KIND)
    .map((hit, at) => ({ id: `search-${title.toLowerCase()}-${at}`, hit }))
}
