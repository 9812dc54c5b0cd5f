// The owner of a service account: what happens when they leave, and the dialog in which admins choose another.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { api, unwrap } from '../../api.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useClock } from '../../parts/use-clock.ts'
import { useRole } from '../../parts/use-role.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import text_styles from '../../ui/text.module.css'
import { useDraft } from '../../ui/use-draft.ts'
import { Actions, KeyDialog } from './key-dialog.tsx'
import { OwnerSelect } from './owner-select.tsx'
import type { ServiceAccount } from './service-account-form.tsx'
import { accountsTexts as texts } from './texts-accounts.ts'

interface OwnerProps {
  org: string
  account: ServiceAccount
}

/** The owner in the list of accounts. */
export function OwnerCell({ org, account }: OwnerProps) {
  const { owner, keys_stop_at } = account
  const { isAdmin } = useRole(org)
  if (keys_stop_at === null) return <>{owner ?? texts.owner.organization}</>
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        {owner}
        <Badge miw="max-content" color="yellow" variant="filled" autoContrast>
          {texts.owner.hasLeft}
        </Badge>
      </Group>
      <Text size="sm">
        <KeyDeadline keys_stop_at={keys_stop_at} />
      </Text>
      {isAdmin && <OwnerButton org={org} account={account} />}
    </Stack>
  )
}

/** The owner on the page of the account. */
export function AccountOwner({ org, account }: OwnerProps) {
  const { name, owner, keys_stop_at } = account
  const { isAdmin } = useRole(org)
  if (keys_stop_at === null) {
    return (
      <Group gap="xs">
        <Text>{texts.owner.owner(owner ?? texts.owner.organization)}</Text>
        {isAdmin && <OwnerButton org={org} account={account} />}
      </Group>
    )
  }
  return (
    <Alert
      color="yellow"
      role="group"
      title={texts.owner.leftTitle(owner ?? '', org)}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <KeyDeadline keys_stop_at={keys_stop_at} />
          {texts.owner.leftHelp(name)}
        </Text>
        {isAdmin && <OwnerButton org={org} account={account} />}
      </Stack>
    </Alert>
  )
}

function KeyDeadline({ keys_stop_at }: { keys_stop_at: number }) {
  const isOver = useClock(now_ms => keys_stop_at <= now_ms / 1000)
  return (
    <>
      {isOver ? texts.owner.keysStopped : texts.owner.keysStop} <RelativeTime at={keys_stop_at} />
    </>
  )
}

function OwnerButton({ org, account }: OwnerProps) {
  const [opened, { open, close }] = useDisclosure()
  const label = account.keys_stop_at === null ? texts.owner.change : texts.owner.choose
  const name = texts.owner.ofAccount(label, account.name)
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={name} onClick={open}>
        {label}
      </Button>
      {opened && <OwnerDialog title={name} org={org} account={account} onClose={close} />}
    </>
  )
}

interface OwnerDraft {
  owner: string | null | undefined
}

function OwnerDialog({ title, org, account, onClose }: OwnerProps & { title: string; onClose: () => void }) {
  const { name, keys_stop_at } = account
  const initial: OwnerDraft = { owner: keys_stop_at === null ? account.owner : undefined }
  const draft = useDraft({
    initial,
    // Null is the organization.
    validate: ({ owner }) => (owner === undefined ? { owner: texts.owner.choose } : {}),
    send: ({ owner = null }) =>
      unwrap(
        api.PATCH('/service-accounts/{org}/{name}', { params: { path: { org, name } }, body: { owner } }),
      ),
    notice: (_, { owner }) => texts.owner.saved(owner ?? texts.owner.theOrganization, name),
    onDone: onClose,
  })
  return (
    <KeyDialog title={title} onClose={onClose}>
      <DraftForm
        draft={draft}
        actions={<Actions action={texts.owner.save} isPending={draft.isPending} onClose={onClose} />}
      >
        <OwnerSelect org={org} {...draft.form.getInputProps('owner')} />
      </DraftForm>
    </KeyDialog>
  )
}
