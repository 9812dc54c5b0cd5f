// Puts an artifact on the allow-list.
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useRef } from 'react'
import { api, unwrap } from '../../api.ts'
import { isWaiting, SecondPersonAlert } from '../../parts/waiting-decisions.tsx'
import { findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { getDayEnd } from '../../ui/local-time.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { type Place, pathParams } from './place.ts'

interface Allowed {
  artifact_fingerprint: string
  artifact_name: string
  description: string
  expires_at: number | null
}

function allowedOf(form: FormData): Allowed {
  const written = (field: string) => String(form.get(field) ?? '').trim()
  const until = written('until')
  return {
    artifact_fingerprint: written('fingerprint'),
    artifact_name: written('name'),
    description: written('description'),
    expires_at: getDayEnd(until) ?? null,
  }
}

export function AllowForm({ place }: { place: Place }) {
  const form = useRef<HTMLFormElement>(null)
  const allow = useChange(
    (body: Allowed) => unwrap(api.PUT('/allowlists/{org}/{env_name}', { params: pathParams(place), body })),
    {
      onDone: () => form.current?.reset(),
      notice: (answer, { artifact_name }) =>
        isWaiting(answer) ? `Waiting for a second person: ${artifact_name}` : `${artifact_name} is allowed`,
    },
  )
  const errors = readFieldErrors(allow.error)
  const { allow_name, allow_fingerprint } = place.search
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    allow.mutate(allowedOf(new FormData(event.currentTarget)))
  }
  return (
    <form ref={form} onSubmit={submit}>
      <Stack maw={640}>
        <TextInput
          name="name"
          label="Artifact"
          placeholder="docker.io/library/postgres:17"
          defaultValue={allow_name}
          error={findFieldError(errors, 'artifact_name')}
          required
        />
        <TextInput
          name="fingerprint"
          label="Fingerprint"
          description="SHA-256, 64 hexadecimal digits"
          pattern="[0-9a-f]{64}"
          defaultValue={allow_fingerprint}
          error={findFieldError(errors, 'artifact_fingerprint')}
          required
        />
        <Textarea
          name="description"
          label="Reason"
          autosize
          minRows={2}
          error={findFieldError(errors, 'description')}
          required
        />
        <TextInput
          name="until"
          type="date"
          label="Last day"
          description="Left empty, it stays until it is taken off"
          error={findFieldError(errors, 'expires_at')}
        />
        {allow.error && <ErrorAlert error={allow.error} />}
        {isWaiting(allow.data) && (
          <SecondPersonAlert org={place.org}>
            {allow.variables?.artifact_name} is not allowed yet. It is once another person confirms it.
          </SecondPersonAlert>
        )}
        <Group>
          <Button type="submit" loading={allow.isPending}>
            Allow
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
