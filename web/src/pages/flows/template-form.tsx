// The form that edits the template of a flow. Errors appear below the text with line and column.
import { Button, Group, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { saveTemplate } from './queries.ts'
import { isTemplateField, readTemplateProblems, TemplateField } from './template-field.tsx'
import { flowTexts as texts } from './texts.ts'

export function TemplateForm({ org, flow }: { org: string; flow: Schemas['Flow'] }) {
  const { form, ...draft } = useDraft({
    initial: { template: flow.template },
    send: ({ template }) => saveTemplate(org, { name: flow.name }, template),
    findField: path => (isTemplateField(path) ? 'template' : undefined),
    notice: texts.template.saved(flow.name),
  })
  const isUnchanged = form.values.template === flow.template
  return (
    <DraftForm
      draft={draft}
      gap="xs"
      actions={
        <Group>
          <Button type="submit" loading={draft.isPending} disabled={isUnchanged}>
            {texts.template.save}
          </Button>
          {isUnchanged && <Text c="dimmed">{texts.template.unchanged}</Text>}
        </Group>
      }
    >
      <TemplateField
        description={texts.template.fieldHint}
        problems={readTemplateProblems(draft.failure)}
        {...form.getInputProps('template')}
      />
    </DraftForm>
  )
}
