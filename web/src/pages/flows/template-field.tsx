// The editor of a template. The server's errors appear below the text with line and column.
import { Text, Textarea } from '@mantine/core'
import { readFieldErrors } from '../../ui/field-errors.ts'
import type { FieldProps } from '../../ui/use-draft.ts'
import { type Problem, parseProblems } from '../policies/problems.ts'
import { flowTexts as texts } from './texts.ts'

interface TemplateFieldProps extends FieldProps<string> {
  description: string
  problems: readonly Problem[]
}

export function TemplateField({ problems, onChange, ...field }: TemplateFieldProps) {
  return (
    <Textarea
      {...field}
      label={texts.template.field}
      autosize
      minRows={8}
      maxRows={30}
      spellCheck={false}
      classNames={{ input: 'fingerprint' }}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={
        problems.length > 0 &&
        problems.map(({ line, column, message }) => (
          <Text key={`${line} ${column} ${message}`} span inherit display="block" className="long-name">
            {texts.template.problem(line, column, message)}
          </Text>
        ))
      }
    />
  )
}

/** The server's errors about the template, without those about other fields. */
export function readTemplateProblems(error: Error | null): Problem[] {
  const errors = Object.entries(readFieldErrors(error))
  return parseProblems(Object.fromEntries(errors.filter(([field]) => isTemplateField(field))))
}

export const isTemplateField = (path: string) => /^template(_file)?\b/.test(path)
