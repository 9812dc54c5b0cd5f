// Guides a new organization from nothing to a compliant environment, and explains its verdict. The stored
// data decides whether a step is done; the page follows the organization's changes like any other.
import { Badge, Card, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useRole } from '../../../parts/use-role.ts'
import { Loading } from '../../../ui/states.tsx'
import { CommandsStep } from './commands-step.tsx'
import { KeyStep } from './key-step.tsx'
import { PolicyStep } from './policy-step.tsx'
import { type Progress, useProgress } from './progress.ts'
import { ResultStep } from './result-step.tsx'
import { startTexts as texts } from './texts.ts'

const ICON_SIZE = 16

interface GettingStartedProps {
  org: string
  /** Closes the guide once it has a result. */
  onFinish: () => void
}

export function GettingStarted({ org, onFinish }: GettingStartedProps) {
  const { isMember } = useRole(org)
  const progress = useProgress(org, isMember)
  if (!progress) return <Loading />
  const steps = listSteps(org, progress, onFinish)
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Stack component="section" maw={900} aria-label={texts.title}>
      <Title order={2} size="h3">
        {texts.title}
      </Title>
      <Text>{texts.intro}</Text>
      {steps.map(({ title, isDone, content }, index) => (
        <Step
          key={title}
          number={index + 1}
          title={title}
          state={isDone ? 'done' : index === next ? 'next' : 'later'}
        >
          {content}
        </Step>
      ))}
    </Stack>
  )
}

function listSteps(org: string, progress: Progress, onFinish: () => void) {
  const { key, reported, governed, green } = progress
  return [
    // Anyone who reported something had a key.
    {
      title: texts.key.title,
      isDone: key !== null || reported !== undefined,
      content: <KeyStep org={org} owner={key} />,
    },
    {
      title: texts.commands.title,
      isDone: reported !== undefined && progress.attestation !== null,
      content: <CommandsStep org={org} progress={progress} />,
    },
    {
      title: texts.policy.title,
      isDone: governed !== undefined,
      content: <PolicyStep org={org} progress={progress} />,
    },
    {
      title: texts.result.title,
      isDone: green !== undefined,
      content: <ResultStep org={org} environment={green ?? governed} onFinish={onFinish} />,
    },
  ]
}

interface StepProps {
  number: number
  title: string
  state: 'done' | 'next' | 'later'
  children: ReactNode
}

const COLORS = { done: 'green', next: 'blue', later: 'gray' } as const

function Step({ number, title, state, children }: StepProps) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Group mb="sm">
        <ThemeIcon radius="xl" color={COLORS[state]} variant="light" aria-hidden="true">
          {state === 'done' ? <IconCheck size={ICON_SIZE} /> : number}
        </ThemeIcon>
        <Title order={3} size="h4">
          {title}
        </Title>
        <Badge color={COLORS[state]} variant="light" tt="none">
          {texts[state]}
        </Badge>
      </Group>
      {children}
    </Card>
  )
}
