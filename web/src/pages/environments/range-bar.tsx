// The actions for a range selected on the band: read its log, compare its ends, or clear it.
import { Button, Group, Text } from '@mantine/core'
import { ExactTime } from '../../parts/time.tsx'
import { formatDayField } from '../../ui/local-time.ts'
import { PageLink } from '../../ui/page-link.tsx'
import type { TimelineBucket } from './answers.ts'
import { historyTexts as texts } from './texts-history.ts'

interface RangeBarProps {
  org: string
  environment: string
  chosen: readonly TimelineBucket[]
  onClear: () => void
}

export function RangeBar({ org, environment, chosen, onClear }: RangeBarProps) {
  const [first, last] = [chosen.at(0), chosen.at(-1)]
  if (!first || !last) return null
  const params = { org, environment }
  const left = chosen.find(({ first_index }) => first_index !== null)?.first_index
  const right = last.last_index
  return (
    <Group gap="sm" role="group" aria-label={texts.range.label}>
      <Text size="sm">
        <ExactTime at={first.from} /> {texts.range.to} <ExactTime at={last.to} />
      </Text>
      <PageLink
        to="/$org/environments/$environment"
        params={params}
        search={{ tab: 'log', from: formatDayField(first.from), to: formatDayField(last.to) }}
      >
        {texts.range.log}
      </PageLink>
      {left != null && right !== null && left !== right && (
        <PageLink
          to="/$org/environments/$environment"
          params={params}
          search={{ tab: 'compare', left: `#${left}`, right: `#${right}` }}
        >
          {texts.range.compare}
        </PageLink>
      )}
      <Button size="compact-xs" variant="subtle" onClick={onClear}>
        {texts.range.clear}
      </Button>
    </Group>
  )
}
