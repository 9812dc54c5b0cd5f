// One version of an attestation type: its rules, its summary and its data schema.
import { Card, Code, List, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Facts } from '../../ui/facts.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { typeTexts as texts } from './texts.ts'

type Version = Schemas['CustomAttestationTypeVersion']

export function TypeVersion({ version }: { version: Version }) {
  const { evaluator, summary, type_schema } = version
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.version.createdBy(version.created_by)} <RelativeTime at={version.timestamp} />
      </Text>
      <Section title={texts.version.rules}>
        <Rules rules={evaluator.rules ?? []} />
      </Section>
      <Section title={texts.version.summary}>
        {summary === null || summary.length === 0 ? (
          <Text c="dimmed">{texts.version.noSummary}</Text>
        ) : (
          <Facts
            rows={summary.map(
              ({ name, expression }) => [name, <Code key={name}>{expression}</Code>] as const,
            )}
          />
        )}
      </Section>
      <Section title={texts.version.schema}>
        {type_schema === null ? (
          <Text c="dimmed">{texts.version.noSchema}</Text>
        ) : (
          <RawJson value={type_schema} />
        )}
      </Section>
    </Stack>
  )
}

function Rules({ rules }: { rules: string[] }) {
  if (rules.length === 0) return <Text>{texts.version.noRules}</Text>
  return (
    <>
      <Text size="sm" mb="xs">
        {texts.version.allRules}
      </Text>
      <List>
        {rules.map(rule => (
          <List.Item key={rule}>
            <Code className="long-name">{rule}</Code>
          </List.Item>
        ))}
      </List>
    </>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  )
}
