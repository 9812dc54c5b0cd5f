// Puts an artifact on the allow-list.
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useRef } from 'react'
import { answered, api } from '../../api.ts'
import { isWaiting, SecondPersonNeeded } from '../../parts/waiting-decisions.tsx'
import { errorAt, fieldErrorsOf } from '../../ui/field-errors.ts'
import { dayEnd } from '../../ui/local-time.ts'
import { Failed } from '../../ui/states.tsx'
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
    expires_at: dayEnd(until) ?? null,
  }
}

export function AllowForm({ place }: { place: Place }) {
  const form = useRef<HTMLFormElement>(null)
  const allow = useChange(
    (body: Allowed) => answered(api.PUT('/allowlists/{org}/{env_name}', { params: pathParams(place), body })),
    {
      done: () => form.current?.reset(),
      said: (answer, { artifact_name }) =>
        isWaiting(answer) ? `Waiting for a second person: ${artifact_name}` : `${artifact_name} is allowed`,
    },
  )
  const errors = fieldErrorsOf(allow.error)
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
          error={errorAt(errors, 'artifact_name')}
          required
        />
        <TextInput
          name="fingerprint"
          label="Fingerprint"
          description="SHA-256, 64 hexadecimal digits"
          pattern="[0-9a-f]{64}"
          defaultValue={allow_fingerprint}
          error={errorAt(errors, 'artifact_fingerprint')}
          required
        />
        <Textarea
          name="description"
          label="Reason"
          autosize
          minRows={2}
          error={errorAt(errors, 'description')}
          required
        />
        <TextInput
          name="until"
          type="date"
          label="Last day"
          description="Left empty, it stays until it is taken off"
          error={errorAt(errors, 'expires_at')}
        />
        {allow.error && <Failed error={allow.error} />}
        {isWaiting(allow.data) && (
          <SecondPersonNeeded org={place.org}>
            {allow.variables?.artifact_name} is not allowed yet. It is once another person confirms it.
          </SecondPersonNeeded>
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
