// The form that adds an artifact to the allow-list.
import { Button, Group, Textarea, TextInput } from '@mantine/core'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { isWaiting, SecondPersonAlert } from '../../parts/waiting-decisions.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { getDayEnd } from '../../ui/local-time.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { getPathParams, type Place } from './place.ts'
import { environmentTexts as texts } from './texts.ts'

const EMPTY = { artifact_name: '', artifact_fingerprint: '', description: '', expires_at: '' }

export function AllowForm({ place }: { place: Place }) {
  const { allow_name = '', allow_fingerprint = '' } = place.search
  const { form, answer, sent, ...draft } = useDraft({
    initial: { ...EMPTY, artifact_name: allow_name, artifact_fingerprint: allow_fingerprint },
    required: ['artifact_name', 'artifact_fingerprint', 'description'],
    send: ({ artifact_name, artifact_fingerprint, description, expires_at }) =>
      unwrap(
        api.PUT('/allowlists/{org}/{env_name}', {
          params: getPathParams(place),
          body: {
            artifact_name: artifact_name.trim(),
            artifact_fingerprint: artifact_fingerprint.trim(),
            description: description.trim(),
            expires_at: getDayEnd(expires_at) ?? null,
          },
        }),
      ),
    notice: (answer, { artifact_name }) =>
      isWaiting(answer) ? texts.allowForm.waiting(artifact_name) : texts.allowForm.allowed(artifact_name),
    next: () => EMPTY,
  })
  return (
    <DraftForm
      draft={draft}
      maw={640}
      actions={
        <>
          {isWaiting(answer) && (
            <SecondPersonAlert org={place.org}>
              {texts.allowForm.waitingHint(sent?.artifact_name ?? '')}
              {answer.lapsed_request && ` ${describeLapsed(answer.lapsed_request)}`}
            </SecondPersonAlert>
          )}
          <Group>
            <Button type="submit" loading={draft.isPending}>
              {texts.allowForm.allow}
            </Button>
          </Group>
        </>
      }
    >
      <TextInput
        label={texts.allowForm.artifact}
        placeholder={texts.allowForm.artifactPlaceholder}
        required
        {...form.getInputProps('artifact_name')}
      />
      <TextInput
        label={texts.allowForm.fingerprint}
        description={texts.allowForm.fingerprintHint}
        required
        {...form.getInputProps('artifact_fingerprint')}
      />
      <Textarea
        label={texts.allowForm.reason}
        autosize
        minRows={2}
        required
        {...form.getInputProps('description')}
      />
      <TextInput
        type="date"
        label={texts.allowForm.lastDay}
        description={texts.allowForm.lastDayHint}
        {...form.getInputProps('expires_at')}
      />
    </DraftForm>
  )
}

const describeLapsed = ({ asked_by, lapse_reason }: Schemas['LapsedRequest']) =>
  texts.allowForm.lapsed(asked_by, lapse_reason)
