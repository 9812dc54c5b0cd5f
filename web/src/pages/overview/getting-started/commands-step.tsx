// The second step: the commands to run, and which of their results have arrived.
import { Badge, Group, List, Loader, Stack, Tabs, Text } from '@mantine/core'
import { Command } from '../../../ui/command.tsx'
import { PageLink } from '../../../ui/page-link.tsx'
import {
  buildCurlSteps,
  buildGitHubFiles,
  buildGitLabFiles,
  buildPipelineSetup,
  buildWaybillSteps,
  type PipelineFile,
  READ_KEY,
  STEPS,
  type StepName,
} from './commands.ts'
import type { Progress } from './progress.ts'
import { startTexts as texts } from './texts.ts'

const LOADER_SIZE = 16

interface CommandsStepProps {
  org: string
  progress: Progress
}

export function CommandsStep({ org, progress }: CommandsStepProps) {
  const arrived = listArrived(progress)
  return (
    <Stack gap="sm">
      <Text>{texts.commands.hint}</Text>
      <Arrived count={arrived.length} />
      <Tabs defaultValue="waybill" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="waybill">{texts.commands.waybill}</Tabs.Tab>
          <Tabs.Tab value="curl">{texts.commands.curl}</Tabs.Tab>
          <Tabs.Tab value="github">{texts.commands.github}</Tabs.Tab>
          <Tabs.Tab value="gitlab">{texts.commands.gitlab}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="waybill">
          <Steps commands={buildWaybillSteps(org)} arrived={arrived} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Steps commands={buildCurlSteps(org)} arrived={arrived} />
        </Tabs.Panel>
        <Tabs.Panel value="github">
          <Pipeline org={org} files={buildGitHubFiles(org)} />
        </Tabs.Panel>
        <Tabs.Panel value="gitlab">
          <Pipeline org={org} files={buildGitLabFiles(org)} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

function listArrived({ flow, trail, attestation, environment, reported }: Progress): StepName[] {
  const found: Record<StepName, boolean> = {
    flow: flow !== undefined,
    artifact: trail !== undefined,
    attestation: attestation !== null,
    environment: environment !== undefined,
    snapshot: reported !== undefined,
  }
  return STEPS.filter(step => found[step])
}

function Arrived({ count }: { count: number }) {
  const isComplete = count === STEPS.length
  return (
    <Group gap="xs" role="status">
      {!isComplete && <Loader size={LOADER_SIZE} aria-hidden="true" />}
      <Text fw={500}>
        {isComplete
          ? texts.commands.arrived
          : count === 0
            ? texts.commands.waiting
            : texts.commands.waitingMore(count, STEPS.length)}
      </Text>
    </Group>
  )
}

function Steps({ commands, arrived }: { commands: Record<StepName, string>; arrived: readonly StepName[] }) {
  return (
    <Stack gap="sm">
      <Text>{texts.commands.readKey}</Text>
      <Command command={READ_KEY} />
      <List
        type="ordered"
        spacing="md"
        listStyleType="decimal"
        styles={{ itemWrapper: { display: 'block' }, itemLabel: { display: 'block' } }}
      >
        {STEPS.map(step => (
          <List.Item key={step} data-step={step}>
            <Group gap="xs" mb={4}>
              <Text>{texts.commands.steps[step]}</Text>
              {arrived.includes(step) && (
                <Badge color="green" variant="light" tt="none">
                  {texts.done}
                </Badge>
              )}
            </Group>
            <Command command={commands[step]} />
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

function Pipeline({ org, files }: { org: string; files: PipelineFile[] }) {
  return (
    <Stack gap="sm">
      <Text>
        {texts.commands.pipelineHint}{' '}
        <PageLink to="/$org/settings/trust-rules" params={{ org }}>
          {texts.commands.trustRule}
        </PageLink>
        .
      </Text>
      <Text>{texts.commands.pipelineSetup}</Text>
      <Command command={buildPipelineSetup(org)} />
      {files.map(({ path, content }) => (
        <Stack key={path} gap={4}>
          <Text>{texts.commands.file(path)}</Text>
          <Command command={content} />
        </Stack>
      ))}
    </Stack>
  )
}
