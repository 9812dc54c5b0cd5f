// The form that edits the template of a flow. Errors appear below the text with line and column.
import { Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { saveTemplate } from './queries.ts'
import { readTemplateProblems, TemplateField } from './template-field.tsx'
import { flowTexts as texts } from './texts.ts'

export function TemplateForm({ org, flow }: { org: string; flow: Schemas['Flow'] }) {
  const [text, setText] = useState(flow.template)
  // The flow with the new template may still be on its way.
  const saved = useRef(flow.template)
  const save = useChange((template: string) => saveTemplate(org, { name: flow.name }, template), {
    onDone: (_, template) => {
      saved.current = template
    },
    notice: texts.template.saved(flow.name),
  })
  const problems = readTemplateProblems(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate(text)
  }
  return (
    <Stack component="form" onSubmit={submit} gap="xs">
      <LeaveGuard isUnsaved={() => text !== flow.template && text !== saved.current} />
      <TemplateField
        description={texts.template.fieldHint}
        value={text}
        problems={problems}
        onChange={setText}
      />
      {save.error && problems.length === 0 && <ErrorAlert error={save.error} />}
      <Group>
        <Button type="submit" loading={save.isPending} disabled={text === flow.template}>
          {texts.template.save}
        </Button>
        {text === flow.template && <Text c="dimmed">{texts.template.unchanged}</Text>}
      </Group>
    </Stack>
  )
}
