// The evidence of a custom type: its summary, the rules it was evaluated with, and the data.
import { Card, List, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Details } from '../../../ui/details.tsx'
import { ExternalLink, isWebUrl } from '../../../ui/external-link.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { RawJson } from '../../../ui/raw-json.tsx'
import { evidenceTexts as texts } from './texts.ts'

interface SummaryRow {
  name: string
  values: unknown[]
  problem?: string
}

export interface CustomPayload {
  type_version?: number
  summary?: SummaryRow[][]
  rules?: { rule: string; satisfied: boolean; reason?: string }[]
  attestation_data?: unknown
}

export function CustomSummary({ payload }: { payload: CustomPayload }) {
  const { summary = [], rules = [], type_version, attestation_data } = payload
  return (
    <Stack gap="xs">
      {summary.length > 0 && (
        <Title order={3} size="h5">
          {texts.custom.summary}
        </Title>
      )}
      {summary.map((group, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have no name, and the list never changes
        <Card key={position} withBorder padding="xs">
          <Facts rows={group.map(row => [row.name, renderValues(row)] as const)} />
        </Card>
      ))}
      {rules.length > 0 && (
        <>
          <Text size="sm">{texts.custom.evaluatedWith(type_version)}</Text>
          <List size="sm">
            {rules.map(each => (
              <List.Item key={each.rule}>
                <span className="fingerprint">{each.rule}</span>:{' '}
                {each.satisfied ? texts.custom.passed : texts.custom.failed(each.reason)}
              </List.Item>
            ))}
          </List>
        </>
      )}
      <Details title={texts.custom.data}>
        <RawJson value={attestation_data} />
      </Details>
    </Stack>
  )
}

function renderValues({ values, problem }: SummaryRow): ReactNode {
  if (problem !== undefined) return texts.custom.unknown(problem)
  return values.map((value, position) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: values may repeat, and the list never changes
      <Text key={position} size="sm">
        {isWebUrl(text) ? <ExternalLink href={text} /> : text}
      </Text>
    )
  })
}
