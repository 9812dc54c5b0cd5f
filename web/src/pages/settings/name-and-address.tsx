// The user's own name and mail address. A new address takes effect when its owner opens the link mailed to
// it.
import { Alert, Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useAskAgain } from '../../parts/use-ask-again.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { profileQuery } from './queries.ts'
import { profileTexts } from './texts-profile.ts'

type Profile = Schemas['Profile']

const texts = profileTexts.person
const FIELD_WIDTH = 400
const MAX_DISPLAY_NAME = 200
const MAX_EMAIL = 254

export function NameAndAddress() {
  const profile = useQuery(profileQuery)
  // The link may be opened in another tab.
  useAskAgain(profileQuery.queryKey, profile.data?.pending_email != null)
  return (
    <Card withBorder>
      <Title order={2} mb="sm">
        {texts.title}
      </Title>
      {profile.isPending ? (
        <Loading rows={3} />
      ) : profile.error ? (
        <ErrorAlert error={profile.error} />
      ) : (
        <Stack>
          <Labelled label={texts.userName} value={profile.data.name} />
          <NameForm key={profile.data.display_name} profile={profile.data} />
          <Address profile={profile.data} />
        </Stack>
      )}
    </Card>
  )
}

function Labelled({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Text className="long-name">{value}</Text>
    </div>
  )
}

function NameForm({ profile }: { profile: Profile }) {
  const draft = useDraft({
    initial: { display_name: profile.display_name ?? '' },
    send: body => unwrap(api.PUT('/user/settings/display-name', { body })),
    notice: texts.nameSaved,
  })
  return (
    <DraftForm
      draft={draft}
      gap="xs"
      actions={
        <Group>
          <Button type="submit" variant="default" loading={draft.isPending}>
            {texts.saveName}
          </Button>
        </Group>
      }
    >
      <TextInput
        label={texts.displayName}
        description={texts.displayNameHelp}
        autoComplete="name"
        maxLength={MAX_DISPLAY_NAME}
        maw={FIELD_WIDTH}
        {...draft.form.getInputProps('display_name')}
      />
    </DraftForm>
  )
}

function Address({ profile: { email, email_managed_by, pending_email } }: { profile: Profile }) {
  return (
    <>
      <Labelled label={texts.email} value={email ?? texts.noEmail} />
      {pending_email && (
        <Alert variant="light" role="status">
          {texts.pending(pending_email.email)} <RelativeTime at={pending_email.expires_at} />.
        </Alert>
      )}
      {email_managed_by ? (
        <Text size="sm">{texts.managed[email_managed_by]}</Text>
      ) : (
        <AddressForm key={`${email} ${pending_email?.expires_at}`} />
      )}
    </>
  )
}

function AddressForm() {
  const draft = useDraft({
    initial: { email: '' },
    send: body => unwrap(api.PUT('/user/settings/email', { body })),
    notice: (_, { email }) => texts.linkSent(email),
  })
  return (
    <DraftForm
      draft={draft}
      gap="xs"
      actions={
        <Group>
          <Button type="submit" variant="default" loading={draft.isPending}>
            {texts.sendLink}
          </Button>
        </Group>
      }
    >
      <TextInput
        type="email"
        label={texts.newEmail}
        description={texts.newEmailHelp}
        autoComplete="email"
        maxLength={MAX_EMAIL}
        maw={FIELD_WIDTH}
        {...draft.form.getInputProps('email')}
      />
    </DraftForm>
  )
}
