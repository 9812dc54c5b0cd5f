// The results in the search dialog, as a listbox: the field keeps the focus and names the selected option.
import { Box, Group, ScrollArea, Text, UnstyledButton } from '@mantine/core'
import { useEffect } from 'react'
import { ArchivedBadge } from '../../parts/archived.tsx'
import { StateBadges } from '../../parts/state-badge.tsx'
import type { Hit, Place } from './hits.ts'
import classes from './palette.module.css'
import { searchTexts as texts } from './texts.ts'

export interface Choice extends Omit<Hit, 'place'> {
  id: string
  place: Place
}

interface Props {
  groups: { title: string; choices: Choice[] }[]
  chosen: string | undefined
  /** Whether these are still the results of an earlier query. */
  isBusy: boolean
  onChoose(place: Place): void
}

export function PaletteHits({ groups, chosen, isBusy, onChoose }: Props) {
  useEffect(() => {
    if (chosen !== undefined) document.getElementById(chosen)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <ScrollArea.Autosize mah={400}>
      <div id="search-hits" role="listbox" aria-label={texts.results} aria-busy={isBusy}>
        {groups.map(({ title, choices }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
          <div key={title} role="group" aria-label={title}>
            <Text size="xs" fw={700} c="dimmed" mt="xs" aria-hidden>
              {title}
            </Text>
            {choices.map(choice => (
              <Option
                key={choice.id}
                choice={choice}
                isChosen={choice.id === chosen}
                onChoose={() => onChoose(choice.place)}
              />
            ))}
          </div>
        ))}
      </div>
    </ScrollArea.Autosize>
  )
}

interface OptionProps {
  choice: Choice
  isChosen: boolean
  onChoose(): void
}

function Option({
  choice: { id, name, detail, verdicts = [], by = 'evidence', archived },
  isChosen,
  onChoose,
}: OptionProps) {
  return (
    <UnstyledButton
      id={id}
      role="option"
      aria-selected={isChosen}
      className={classes.hit}
      tabIndex={-1}
      onClick={onChoose}
    >
      <Group justify="space-between" gap="xs">
        <Box className="long-name" flex="1 1 240px">
          {name}
          <Text size="xs" c="dimmed">
            {detail}
          </Text>
        </Box>
        {archived && <ArchivedBadge />}
        <StateBadges by={by} states={verdicts} />
      </Group>
    </UnstyledButton>
  )
}
