// The form that edits the template of a flow. Errors appear below the text with line and column.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { parseProblems } from '../policies/problems.ts'
import { saveTemplate } from './queries.ts'
import { flowTexts as texts } from './texts.ts'

export function TemplateForm({ org, flow }: { org: string; flow: Schemas['Flow'] }) {
  const [text, setText] = useState(flow.template)
  const save = useChange((template: string) => saveTemplate(org, flow.name, template), {
    notice: texts.template.saved(flow.name),
  })
  const problems = parseProblems(readFieldErrors(save.error))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate(text)
  }
  return (
    <Stack component="form" onSubmit={submit} gap="xs">
      <Textarea
        label={texts.template.field}
        description={texts.template.fieldHint}
        autosize
        minRows={8}
        maxRows={30}
        spellCheck={false}
        classNames={{ input: 'fingerprint' }}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={
          problems.length > 0 &&
          problems.map(({ line, column, message }) => (
            <Text key={`${line} ${column} ${message}`} span inherit display="block" className="long-name">
              {texts.template.problem(line, column, message)}
            </Text>
          ))
        }
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
