// The form that adds an artifact to the allow-list.
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useRef } from 'react'
import { api, unwrap } from '../../api.ts'
import { isWaiting, SecondPersonAlert } from '../../parts/waiting-decisions.tsx'
import { findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { getDayEnd } from '../../ui/local-time.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { getPathParams, type Place } from './place.ts'
import { environmentTexts as texts } from './texts.ts'

interface AllowRequest {
  artifact_fingerprint: string
  artifact_name: string
  description: string
  expires_at: number | null
}

function readRequest(form: FormData): AllowRequest {
  const read = (field: string) => String(form.get(field) ?? '').trim()
  const until = read('until')
  return {
    artifact_fingerprint: read('fingerprint'),
    artifact_name: read('name'),
    description: read('description'),
    expires_at: getDayEnd(until) ?? null,
  }
}

export function AllowForm({ place }: { place: Place }) {
  const form = useRef<HTMLFormElement>(null)
  const allow = useChange(
    (body: AllowRequest) =>
      unwrap(api.PUT('/allowlists/{org}/{env_name}', { params: getPathParams(place), body })),
    {
      onDone: () => form.current?.reset(),
      notice: (answer, { artifact_name }) =>
        isWaiting(answer) ? texts.allowForm.waiting(artifact_name) : texts.allowForm.allowed(artifact_name),
    },
  )
  const errors = readFieldErrors(allow.error)
  const { allow_name, allow_fingerprint } = place.search
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    allow.mutate(readRequest(new FormData(event.currentTarget)))
  }
  return (
    <form ref={form} onSubmit={submit}>
      <Stack maw={640}>
        <TextInput
          name="name"
          label={texts.allowForm.artifact}
          placeholder={texts.allowForm.artifactPlaceholder}
          defaultValue={allow_name}
          error={findFieldError(errors, 'artifact_name')}
          required
        />
        <TextInput
          name="fingerprint"
          label={texts.allowForm.fingerprint}
          description={texts.allowForm.fingerprintHint}
          pattern="[0-9a-f]{64}"
          defaultValue={allow_fingerprint}
          error={findFieldError(errors, 'artifact_fingerprint')}
          required
        />
        <Textarea
          name="description"
          label={texts.allowForm.reason}
          autosize
          minRows={2}
          error={findFieldError(errors, 'description')}
          required
        />
        <TextInput
          name="until"
          type="date"
          label={texts.allowForm.lastDay}
          description={texts.allowForm.lastDayHint}
          error={findFieldError(errors, 'expires_at')}
        />
        {allow.error && <ErrorAlert error={allow.error} />}
        {isWaiting(allow.data) && (
          <SecondPersonAlert org={place.org}>
            {texts.allowForm.waitingHint(allow.variables?.artifact_name ?? '')}
          </SecondPersonAlert>
        )}
        <Group>
          <Button type="submit" loading={allow.isPending}>
            {texts.allowForm.allow}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
