// The page on which a person approves or rejects an artifact of a trail.
import { Group, NativeSelect, Radio, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { sessionQuery } from '../../../api.ts'
import { buildApiPath, buildCurl } from '../../../parts/curl.ts'
import { FormWithCommand } from '../../../parts/form-with-command.tsx'
import { environmentsQuery } from '../../../parts/queries.ts'
import type { Schemas } from '../../../parts/schemas.ts'
import { Empty } from '../../../ui/states.tsx'
import { useDraft } from '../../../ui/use-draft.ts'
import type { Trail } from './draft.ts'
import { sendApproval } from './send.ts'
import { attestTexts as texts } from './texts.ts'
import { TrailFrame } from './trail-frame.tsx'

const FROM = '/$org/flows/$flow/trails/$trail/approve'

export function ApprovePage() {
  const params = useParams({ from: FROM })
  return (
    <TrailFrame params={params} title={texts.approve.title} subject={texts.approve.subject}>
      {trail => {
        const artifacts = listArtifacts(trail)
        if (artifacts.length === 0) return <Empty title={texts.approve.noArtifact} />
        return <ApproveForm org={params.org} trail={trail} artifacts={artifacts} />
      }}
    </TrailFrame>
  )
}

interface Choice {
  name: string
  fingerprint: string
}

const listArtifacts = (trail: Trail): Choice[] =>
  Object.entries(trail.compliance_status.artifacts_statuses).flatMap(([name, { artifact_fingerprint }]) =>
    artifact_fingerprint === null ? [] : [{ name, fingerprint: artifact_fingerprint }],
  )

interface ApproveDraft {
  artifact_fingerprint: string
  environment: string
  description: string
  state: 'APPROVED' | 'REJECTED'
  comment: string
}

interface ApproveFormProps {
  org: string
  trail: Trail
  artifacts: Choice[]
}

function ApproveForm({ org, trail, artifacts }: ApproveFormProps) {
  const navigate = useNavigate()
  const session = useQuery(sessionQuery)
  const user = session.data?.user ?? ''
  const initial: ApproveDraft = {
    artifact_fingerprint: artifacts[0]?.fingerprint ?? '',
    environment: '',
    description: '',
    state: 'APPROVED',
    comment: '',
  }
  const draft = useDraft({
    initial,
    validate: ({ description, comment }) => ({
      ...(description.trim() === '' && { description: texts.approve.descriptionMissing }),
      ...(comment.trim() === '' && { comment: texts.approve.commentMissing }),
    }),
    send: values => sendApproval(org, trail.flow_name, buildBody(trail, user, values)),
    findField: path => /^approvals[[.]0\]?\.(state|comment)/.exec(path)?.[1],
    notice: (_, values) =>
      texts.approve.done(
        artifacts.find(({ fingerprint }) => fingerprint === values.artifact_fingerprint)?.name ?? '',
      ),
    onDone: () =>
      navigate({
        to: '/$org/flows/$flow/trails/$trail',
        params: { org, flow: trail.flow_name, trail: trail.name },
      }),
  })
  const { form } = draft
  const curl = buildCurl(
    'POST',
    buildApiPath('approvals', org, trail.flow_name),
    buildBody(trail, user, form.values),
  )
  return (
    <FormWithCommand draft={draft} action={texts.approve.submit} commands={{ curl }}>
      <Text size="sm">{texts.approve.note}</Text>
      <ApproveFields org={org} artifacts={artifacts} form={form} />
    </FormWithCommand>
  )
}

interface ApproveFieldsProps {
  org: string
  artifacts: Choice[]
  form: UseFormReturnType<ApproveDraft>
}

function ApproveFields({ org, artifacts, form }: ApproveFieldsProps) {
  const environments = useQuery(environmentsQuery(org))
  return (
    <>
      <NativeSelect
        label={texts.approve.artifact}
        data={artifacts.map(({ name, fingerprint }) => ({
          value: fingerprint,
          label: texts.attest.artifact(name, fingerprint),
        }))}
        {...form.getInputProps('artifact_fingerprint')}
      />
      <NativeSelect
        label={texts.approve.environment}
        data={[
          { value: '', label: texts.approve.everywhere },
          ...(environments.data ?? []).map(({ name }) => ({ value: name, label: name })),
        ]}
        {...form.getInputProps('environment')}
      />
      <TextInput label={texts.approve.description} required {...form.getInputProps('description')} />
      <Radio.Group label={texts.approve.decision} {...form.getInputProps('state')}>
        <Group mt="xs">
          <Radio value="APPROVED" label={texts.approve.approved} />
          <Radio value="REJECTED" label={texts.approve.rejected} />
        </Group>
      </Radio.Group>
      <Textarea
        label={texts.approve.comment}
        required
        autosize
        minRows={2}
        {...form.getInputProps('comment')}
      />
    </>
  )
}

function buildBody(trail: Trail, user: string, values: ApproveDraft): Schemas['ApprovalPost'] {
  const { artifact_fingerprint, environment, description, state, comment } = values
  const commit = trail.git_commit_info?.sha1
  return {
    artifact_fingerprint,
    ...(environment !== '' && { environment }),
    description: description || 'DESCRIPTION',
    src_commit_list: commit === undefined ? [] : [commit],
    approvals: [{ state, comment: comment || 'REASON', approved_by: user }],
  }
}
