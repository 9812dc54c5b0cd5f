// Writing the template of a flow. What the server finds wrong stands below the text, with its line and column.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { parseProblems } from '../policies/problems.ts'
import { saveTemplate } from './queries.ts'

export function TemplateForm({ org, flow }: { org: string; flow: Schemas['Flow'] }) {
  const [text, setText] = useState(flow.template)
  const save = useChange((written: string) => saveTemplate(org, flow.name, written), {
    notice: 'The template is saved',
  })
  const problems = parseProblems(readFieldErrors(save.error))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate(text)
  }
  return (
    <Stack component="form" onSubmit={submit} gap="xs">
      <Textarea
        label="Template"
        description="New trails take it. Those that have begun keep theirs."
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
              Line {line}, column {column}: {message}
            </Text>
          ))
        }
      />
      {save.error && problems.length === 0 && <ErrorAlert error={save.error} />}
      <Group>
        <Button type="submit" loading={save.isPending} disabled={text === flow.template}>
          Save the template
        </Button>
        {text === flow.template && <Text c="dimmed">Nothing is changed yet.</Text>}
      </Group>
    </Stack>
  )
}
