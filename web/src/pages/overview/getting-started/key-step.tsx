// The first step: a key whose role can run the commands.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRole } from '../../../parts/use-role.ts'
import { CreateKey } from '../../settings/create-key.tsx'
import { ownKeys } from '../../settings/key-owners.ts'
import { FirstKey } from './first-key.tsx'
import { startTexts as texts } from './texts.ts'

interface KeyStepProps {
  org: string
  owner: { account: string | null } | null
}

export function KeyStep({ org, owner }: KeyStepProps) {
  const { isAdmin } = useRole(org)
  const [opened, { open, close }] = useDisclosure()
  return (
    <Stack gap="sm">
      <KeyState org={org} owner={owner} onCreate={open} />
      {/* It stays when the key exists, because it shows the key. */}
      {opened &&
        (isAdmin ? <FirstKey org={org} onClose={close} /> : <CreateKey owner={ownKeys} onClose={close} />)}
    </Stack>
  )
}

function KeyState({ org, owner, onCreate }: KeyStepProps & { onCreate: () => void }) {
  const { isAdmin, isMember } = useRole(org)
  if (owner !== null)
    return (
      <>
        <Text>{owner.account === null ? texts.key.doneOwn : texts.key.doneAccount(owner.account)}</Text>
        {/* Its secret may be out of reach. */}
        {isMember && (
          <Group>
            <Button size="compact-sm" variant="default" onClick={onCreate}>
              {texts.key.createAnother}
            </Button>
          </Group>
        )}
      </>
    )
  if (!isMember) return <Text>{texts.key.askAdmin}</Text>
  return (
    <>
      <Text>{texts.key.hint}</Text>
      <Group>
        <Button onClick={onCreate}>{isAdmin ? texts.key.create : texts.key.createOwn}</Button>
      </Group>
    </>
  )
}
