// The end of the form of a policy: why it changes, and the button that makes it so.
import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { NewTabLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { SavedMeanwhile, type Saving } from './queries.ts'

interface SavePartProps {
  org: string
  /** Whether the server has no objection to the text. */
  isValid: boolean
  before: Saving
  written: Saving
  change: (part: Partial<Saving>) => void
  saving: { mutate: (written: Saving) => void; isPending: boolean; error: Error | null }
}

export function SavePart(props: SavePartProps) {
  const { isValid, before, written, change, saving } = props
  const isNew = before.begun_at === null
  const isNewVersion = isNew || written.policy_yaml !== before.policy_yaml
  const isChanged = isNewVersion || written.description !== before.description
  const isComplete = written.name.trim() !== '' && (!isNewVersion || written.comment.trim() !== '')
  return (
    <Stack component="section">
      <Title order={2} size="h3">
        Save
      </Title>
      {isNewVersion && (
        <TextInput
          label="Comment"
          description="Why the rules change. It stays with the version."
          required
          maxLength={65_536}
          value={written.comment}
          onChange={({ currentTarget }) => change({ comment: currentTarget.value })}
        />
      )}
      {saving.error instanceof SavedMeanwhile ? (
        <Meanwhile {...props} found={saving.error} />
      ) : (
        saving.error && <ErrorAlert error={saving.error} />
      )}
      <Group>
        <Button
          type="submit"
          loading={saving.isPending}
          disabled={!isValid || !isChanged || !isComplete}
          aria-describedby="why-not-saved"
        >
          {isNew ? 'Create' : isNewVersion ? 'Save a new version' : 'Save'}
        </Button>
        <Text id="why-not-saved" size="sm" c="dimmed">
          {!isChanged
            ? 'Nothing is changed yet.'
            : !isValid
              ? 'The text is not valid yet.'
              : !isComplete
                ? `${written.name.trim() === '' ? 'A name' : 'A comment'} is missing.`
                : ''}
        </Text>
      </Group>
    </Stack>
  )
}

/** Nothing of theirs is lost, because every version is kept; but the one saved last is the one that counts. */
function Meanwhile({ org, written, saving, found }: SavePartProps & { found: SavedMeanwhile }) {
  const { version, created_by, timestamp, comment } = found.newest
  const policy = written.name
  return (
    <Alert color="yellow" title="Somebody else has saved meanwhile" role="alert">
      <Stack gap="xs">
        <Text size="sm">
          {created_by} saved version {version} <RelativeTime at={timestamp} />
          {comment === '' ? '' : `: ${comment}`}. Yours does not have that change: saved on top of it, it
          would be taken back.
        </Text>
        <NewTabLink
          to="/$org/policies/$policy"
          params={{ org, policy }}
          search={written.begun_at ? { from: written.begun_at, to: version } : {}}
        >
          What version {version} changed
        </NewTabLink>
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            loading={saving.isPending}
            onClick={() => saving.mutate({ ...written, begun_at: version })}
          >
            Save mine on top all the same
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
