// Warns that an environment's reporter could not see everything, since when, and what is missing.
import { Text } from '@mantine/core'
import { ExactTime } from '../../parts/time.tsx'
import type { Environment } from './answers.ts'
import { environmentTexts as texts } from './texts.ts'

const MAX_SHOWN = 5

export function PartialNotice({ environment }: { environment: Environment }) {
  const { partial_since, missing, type } = environment
  if (partial_since === null) return null
  const shown = missing.slice(0, MAX_SHOWN).join(', ') + (missing.length > MAX_SHOWN ? ', …' : '')
  const describe = type === 'logical' ? texts.partial.combined : texts.partial.missing
  return (
    <Text size="sm">
      {texts.partial.since} <ExactTime at={partial_since} />
      {missing.length > 0 && describe(shown)}
    </Text>
  )
}
