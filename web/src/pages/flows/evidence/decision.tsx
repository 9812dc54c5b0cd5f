// The evidence of a decision: its control and its data.
import { Stack, Title } from '@mantine/core'
import { DecisionExpiry } from '../../../parts/decision-expiry.tsx'
import { ControlLink } from '../../../parts/links.tsx'
import { Details } from '../../../ui/details.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { RawJson } from '../../../ui/raw-json.tsx'
import { evidenceTexts as texts } from './texts.ts'

interface DecisionProps {
  org: string
  control: string
  data: unknown
  /** In epoch seconds; null if it never expires. */
  expires_at: number | null
}

export function Decision({ org, control, data, expires_at }: DecisionProps) {
  const values = data !== null && typeof data === 'object' ? Object.entries(data) : []
  const plain = values.filter(([key, value]) => key !== 'is_compliant' && typeof value !== 'object')
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {texts.decision.title}
      </Title>
      <Facts
        rows={[
          [texts.decision.control, <ControlLink key="control" org={org} identifier={control} />],
          [texts.decision.expiry, <DecisionExpiry key="expiry" expires_at={expires_at} />],
          ...plain.map(([key, value]) => [key.replaceAll('_', ' '), String(value)] as const),
        ]}
      />
      <Details title={texts.decision.data}>
        <RawJson value={data} />
      </Details>
    </Stack>
  )
}
