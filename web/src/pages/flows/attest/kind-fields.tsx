// The fields of one type of evidence.
import { Autocomplete, Button, FileButton, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { formatFutureDay } from '../../../ui/local-time.ts'
import { controlsQuery } from '../../controls/queries.ts'
import { type AttestDraft, DECISION, type Field, type Kind } from './draft.ts'
import { attestTexts as texts } from './texts.ts'

interface KindFieldsProps {
  org: string
  kind: Kind
  form: UseFormReturnType<AttestDraft>
  /** Whether the page determines the control. */
  isControlFixed: boolean
}

export function KindFields({ kind, ...props }: KindFieldsProps) {
  return kind.fields.map(field => <KindField key={field.name} kind={kind} field={field} {...props} />)
}

function KindField({ org, kind, form, isControlFixed, field }: KindFieldsProps & { field: Field }) {
  const path = `fields.${field.name}`
  const props = form.getInputProps(path)
  if (field.form === 'verdict') return <VerdictField isDecision={kind.name === DECISION} {...props} />
  if (field.form === 'control') return isControlFixed ? null : <ControlField org={org} {...props} />
  if (field.form === 'expiry') return <ExpiryField {...props} />
  if (field.form === 'json')
    return <JsonField field={field} inputProps={props} onRead={text => form.setFieldValue(path, text)} />
  return (
    <TextInput label={texts.attest.field(field.name)} placeholder={field.placeholder} required {...props} />
  )
}

/** No verdict is preselected: nobody should report one without deciding. */
function VerdictField({ isDecision, ...props }: { isDecision: boolean }) {
  const { verdict, compliant, nonCompliant } = texts.attest
  return (
    <Radio.Group label={isDecision ? texts.decision.verdict : verdict} required {...props}>
      <Group mt="xs">
        <Radio value="true" label={isDecision ? texts.decision.met : compliant} />
        <Radio value="false" label={isDecision ? texts.decision.notMet : nonCompliant} />
      </Group>
    </Radio.Group>
  )
}

function ExpiryField(props: object) {
  return (
    <TextInput
      type="date"
      label={texts.decision.lastDay}
      description={texts.decision.lastDayHint}
      min={formatFutureDay(0)}
      {...props}
    />
  )
}

function ControlField({ org, ...props }: { org: string }) {
  const controls = useQuery({ ...controlsQuery(org, {}), retry: false })
  return (
    <Autocomplete
      label={texts.decision.control}
      required
      data={(controls.data?.controls ?? []).map(({ identifier }) => identifier)}
      {...props}
    />
  )
}

interface JsonFieldProps {
  field: Field
  inputProps: object
  onRead: (text: string) => void
}

function JsonField({ field, inputProps, onRead }: JsonFieldProps) {
  const read = (file: File | null) => {
    if (file) void file.text().then(onRead)
  }
  return (
    <Stack gap={4}>
      <Textarea
        label={texts.attest.field(field.name)}
        description={texts.attest.jsonHint}
        placeholder={field.placeholder}
        required
        autosize
        minRows={4}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: 'fingerprint' }}
        {...inputProps}
      />
      <Group>
        <FileButton onChange={read} accept="application/json,.json">
          {props => (
            <Button {...props} size="compact-xs" variant="default">
              {texts.attest.readFile}
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  )
}
