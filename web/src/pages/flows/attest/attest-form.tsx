// The form that reports evidence about a trail or one of its artifacts, with files. A decision on a control
// is one of its types.
import { FileInput, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FormWithCommand } from '../../../parts/form-with-command.tsx'
import { builtInTypesQuery } from '../../../parts/queries.ts'
import { ErrorAlert, Loading } from '../../../ui/states.tsx'
import { useDraft } from '../../../ui/use-draft.ts'
import { typesQuery } from '../../attestation-types/queries.ts'
import type { AttestSearch } from '../search.ts'
import {
  type About,
  type AttestDraft,
  buildCommands,
  DECISION,
  findField,
  type Kind,
  listKinds,
  type Trail,
  validate,
} from './draft.ts'
import { KindFields } from './kind-fields.tsx'
import { sendEvidence } from './send.ts'
import { attestTexts as texts } from './texts.ts'

const SIMPLEST_KIND = 'generic'
const MAX_NAME = 255

interface AttestFormProps {
  org: string
  trail: Trail
  preset: AttestSearch
  onDone: () => unknown
}

export function AttestForm(props: AttestFormProps) {
  const built_in = useQuery(builtInTypesQuery)
  const custom = useQuery(typesQuery(props.org, {}))
  if (built_in.isPending || custom.isPending) return <Loading />
  if (built_in.error) return <ErrorAlert error={built_in.error} />
  if (custom.error) return <ErrorAlert error={custom.error} />
  return <Form {...props} kinds={listKinds(built_in.data, custom.data.types)} />
}

function createDraft(kinds: readonly Kind[], { name, type, control, ...target }: AttestSearch): AttestDraft {
  const kind =
    kinds.find(each => [each.name, `system:${each.name}`].includes(type ?? ''))?.name ?? SIMPLEST_KIND
  return {
    kind,
    attestation_name: name ?? (kind === DECISION ? DECISION : ''),
    about: readAbout(target),
    fields: control === undefined ? {} : { control },
    description: '',
    files: [],
  }
}

function readAbout({ fingerprint, artifact }: AttestSearch): About {
  if (fingerprint !== undefined) return `fingerprint:${fingerprint}`
  return artifact === undefined ? '' : `name:${artifact}`
}

function Form({ org, trail, preset, kinds, onDone }: AttestFormProps & { kinds: Kind[] }) {
  const findKind = (draft: AttestDraft) => kinds.find(({ name }) => name === draft.kind) ?? kinds[0]
  const draft = useDraft({
    initial: createDraft(kinds, preset),
    validate: values => validate(findKind(values), values),
    send: async (values: AttestDraft) => {
      const kind = findKind(values)
      if (kind) await sendEvidence(org, trail, kind, values)
    },
    findField,
    notice: (_, values) =>
      values.kind === DECISION
        ? texts.decision.done(values.fields.control ?? '')
        : texts.attest.done(values.attestation_name),
    onDone,
  })
  const { form } = draft
  const kind = findKind(form.values)
  if (!kind) return null
  const isDecision = kind.name === DECISION
  return (
    <FormWithCommand
      draft={draft}
      action={isDecision ? texts.decision.submit : texts.attest.submit}
      commands={buildCommands(org, kind, form.values, trail)}
    >
      {preset.control === undefined && (
        <>
          <NativeSelect label={texts.attest.kind} data={listChoices(kinds)} {...form.getInputProps('kind')} />
          <Text size="sm" c="dimmed">
            {kind.summary}
          </Text>
        </>
      )}
      <NativeSelect
        label={texts.attest.about}
        data={listAbout(trail, form.values.about)}
        {...form.getInputProps('about')}
      />
      <TextInput
        label={texts.attest.name}
        description={texts.attest.nameHint}
        required
        maxLength={MAX_NAME}
        {...form.getInputProps('attestation_name')}
      />
      <KindFields org={org} kind={kind} form={form} isControlFixed={preset.control !== undefined} />
      <Textarea
        label={isDecision ? texts.decision.reason : texts.attest.description}
        description={isDecision ? texts.decision.reasonHint : undefined}
        required={isDecision}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      <FileInput
        label={texts.attest.files}
        description={texts.attest.filesHint}
        multiple
        clearable
        clearButtonProps={{ 'aria-label': texts.attest.removeFiles }}
        {...form.getInputProps('files')}
      />
    </FormWithCommand>
  )
}

function listChoices(kinds: readonly Kind[]) {
  const toItem = ({ name, title }: Kind) => ({ value: name, label: title })
  const isCustom = ({ name }: Kind) => name.startsWith('custom:')
  const custom = kinds.filter(isCustom)
  return [
    { group: texts.attest.builtIn, items: kinds.filter(kind => !isCustom(kind)).map(toItem) },
    ...(custom.length > 0 ? [{ group: texts.attest.custom, items: custom.map(toItem) }] : []),
  ]
}

/** The trail, the artifacts reported on it, and the expected artifacts, which only a commit identifies. */
function listAbout(trail: Trail, chosen: About) {
  const artifacts = Object.entries(trail.compliance_status.artifacts_statuses).flatMap(([name, status]) => {
    const fingerprints = [
      status.artifact_fingerprint,
      ...status.earlier_builds.map(build => build.artifact_fingerprint),
    ].filter(each => each !== null)
    if (fingerprints.length > 0)
      return fingerprints.map(each => ({
        value: `fingerprint:${each}`,
        label: texts.attest.artifact(name, each),
      }))
    return trail.git_commit_info === null
      ? []
      : [{ value: `name:${name}`, label: texts.attest.expected(name) }]
  })
  const all = [{ value: '', label: texts.attest.theTrail }, ...artifacts]
  if (all.some(({ value }) => value === chosen)) return all
  return [...all, { value: chosen, label: chosen.replace(/^\w+:/, '') }]
}
