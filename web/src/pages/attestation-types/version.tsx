// One version of an attestation type: its rules, what is shown of the data, and what the data has to look like.
import { Card, Code, List, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Facts } from '../../ui/facts.tsx'
import { RawJson } from '../../ui/raw-json.tsx'

type Version = Schemas['CustomAttestationTypeVersion']

export function TypeVersion({ version }: { version: Version }) {
  const { evaluator, summary, type_schema } = version
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Written by {version.created_by}, <RelativeTime at={version.timestamp} />
      </Text>
      <Section title="Rules">
        <Rules rules={evaluator.rules ?? []} />
      </Section>
      <Section title="Summary">
        {summary === null || summary.length === 0 ? (
          <Text c="dimmed">Nothing of the data is shown by itself.</Text>
        ) : (
          <Facts
            rows={summary.map(
              ({ name, expression }) => [name, <Code key={name}>{expression}</Code>] as const,
            )}
          />
        )}
      </Section>
      <Section title="Schema of the data">
        {type_schema === null ? <Text c="dimmed">Any data is taken.</Text> : <RawJson value={type_schema} />}
      </Section>
    </Stack>
  )
}

function Rules({ rules }: { rules: string[] }) {
  if (rules.length === 0) return <Text>It has no rules: what fits the schema is compliant.</Text>
  return (
    <>
      <Text size="sm" mb="xs">
        It is compliant when all of them yield true:
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
