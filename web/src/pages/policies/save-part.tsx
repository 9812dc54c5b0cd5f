// The end of the policy form: the comment and the save button.
import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { RelativeTime } from '../../parts/time.tsx'
import { NewTabLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { EditConflict, type PolicyInput } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'

interface SavePartProps {
  org: string
  /** Whether the server accepts the text. */
  isValid: boolean
  initial: PolicyInput
  form: UseFormReturnType<PolicyInput>
  isPending: boolean
  error: Error | null
  onSubmit: () => void
}

export function SavePart(props: SavePartProps) {
  const { isValid, initial, form, isPending, error } = props
  const input = form.values
  const isNew = initial.base_version === null
  const isNewVersion = isNew || input.policy_yaml !== initial.policy_yaml
  const isChanged = isNewVersion || input.description !== initial.description
  const hasName = input.name.trim() !== ''
  const isComplete = hasName && (!isNewVersion || input.comment.trim() !== '')
  return (
    <Stack component="section">
      <Title order={2} size="h3">
        {texts.save.title}
      </Title>
      {isNewVersion && (
        <TextInput
          label={texts.save.comment}
          description={texts.save.commentHelp}
          required
          maxLength={65_536}
          {...form.getInputProps('comment')}
        />
      )}
      {error instanceof EditConflict ? (
        <ConflictAlert {...props} found={error} />
      ) : (
        error && <ErrorAlert error={error} />
      )}
      <Group>
        <Button
          type="submit"
          loading={isPending}
          disabled={!isValid || !isChanged || !isComplete}
          aria-describedby="why-not-saved"
        >
          {isNew ? texts.save.create : isNewVersion ? texts.save.saveVersion : texts.save.save}
        </Button>
        <Text id="why-not-saved" size="sm" c="dimmed">
          {!isChanged
            ? texts.save.unchanged
            : !isValid
              ? texts.save.invalid
              : !hasName
                ? texts.save.nameMissing
                : isComplete
                  ? ''
                  : texts.save.commentMissing}
        </Text>
      </Group>
    </Stack>
  )
}

/** Every version is kept, but the one saved last applies. */
function ConflictAlert({ org, form, isPending, onSubmit, found }: SavePartProps & { found: EditConflict }) {
  const { version, created_by, timestamp, comment } = found.newest
  const { name: policy, base_version } = form.values
  const overwrite = () => {
    form.setFieldValue('base_version', version)
    onSubmit()
  }
  return (
    <Alert color="yellow" title={texts.save.conflict} role="alert">
      <Stack gap="xs">
        <Text size="sm">
          {texts.save.conflictDetail(created_by, version)} <RelativeTime at={timestamp} />
          {comment === '' ? '' : texts.save.conflictComment(comment)}
          {texts.save.conflictHelp}
        </Text>
        <NewTabLink
          to="/$org/policies/$policy"
          params={{ org, policy }}
          search={base_version ? { from: base_version, to: version } : {}}
        >
          {texts.save.conflictLink(version)}
        </NewTabLink>
        <Group>
          <Button size="compact-sm" variant="default" loading={isPending} onClick={overwrite}>
            {texts.save.overwrite}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
