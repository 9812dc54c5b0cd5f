// The end of the policy form: the comment and the save button.
import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
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
  input: PolicyInput
  change: (part: Partial<PolicyInput>) => void
  save: { mutate: (input: PolicyInput) => void; isPending: boolean; error: Error | null }
}

export function SavePart(props: SavePartProps) {
  const { isValid, initial, input, change, save } = props
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
          value={input.comment}
          onChange={({ currentTarget }) => change({ comment: currentTarget.value })}
        />
      )}
      {save.error instanceof EditConflict ? (
        <ConflictAlert {...props} found={save.error} />
      ) : (
        save.error && <ErrorAlert error={save.error} />
      )}
      <Group>
        <Button
          type="submit"
          loading={save.isPending}
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
function ConflictAlert({ org, input, save, found }: SavePartProps & { found: EditConflict }) {
  const { version, created_by, timestamp, comment } = found.newest
  const policy = input.name
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
          search={input.base_version ? { from: input.base_version, to: version } : {}}
        >
          {texts.save.conflictLink(version)}
        </NewTabLink>
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            loading={save.isPending}
            onClick={() => save.mutate({ ...input, base_version: version })}
          >
            {texts.save.overwrite}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
