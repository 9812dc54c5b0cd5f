// A form, and beside it the commands that do the same with the typed values.
import { Button, Card, Grid, Group, Tabs, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Command } from '../ui/command.tsx'
import { DraftForm } from '../ui/draft-form.tsx'
import type { Draft } from '../ui/use-draft.ts'
import { partsTexts as texts } from './texts.ts'

export interface Commands {
  /** Omitted if our command line has no such command. */
  waybill?: string
  curl: string
  /** What must exist before the command works, such as a file. */
  note?: string
}

interface FormWithCommandProps<Values> {
  draft: Draft<Values>
  action: string
  commands: Commands
  children: ReactNode
}

export function FormWithCommand<Values>(props: FormWithCommandProps<Values>) {
  const { draft, action, commands, children } = props
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <DraftForm
          draft={draft}
          actions={
            <Group>
              <Button type="submit" loading={draft.isPending}>
                {action}
              </Button>
            </Group>
          }
        >
          {children}
        </DraftForm>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <CommandCard commands={commands} />
      </Grid.Col>
    </Grid>
  )
}

export function CommandCard({ commands: { waybill, curl, note } }: { commands: Commands }) {
  return (
    <Card withBorder component="section" aria-label={texts.commands.title}>
      <Title order={2} size="h4" mb="xs">
        {texts.commands.title}
      </Title>
      {note && (
        <Text size="sm" mb="xs">
          {note}
        </Text>
      )}
      {waybill === undefined ? (
        <Command command={curl} />
      ) : (
        <Tabs defaultValue="waybill" keepMounted={false}>
          <Tabs.List mb="xs">
            <Tabs.Tab value="waybill">{texts.commands.waybill}</Tabs.Tab>
            <Tabs.Tab value="curl">{texts.commands.curl}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="waybill">
            <Command command={waybill} />
          </Tabs.Panel>
          <Tabs.Panel value="curl">
            <Command command={curl} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Card>
  )
}
