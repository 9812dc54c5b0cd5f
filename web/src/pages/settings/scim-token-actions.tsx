// Who answers for a SCIM token, and the buttons that adopt one that stopped working and revoke one.
import { Badge, Group } from '@mantine/core'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { useChange } from '../../ui/use-change.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'

type ScimToken = Schemas['ScimToken']

export function TokenOwner({ token: { owner, is_in_force } }: { token: ScimToken }) {
  return (
    <Group gap="xs">
      {owner ?? texts.scim.organization}
      {!is_in_force && (
        <Badge miw="max-content" color="red">
          {texts.scim.stopped}
        </Badge>
      )}
    </Group>
  )
}

export function TokenActions({ org, token }: { org: string; token: ScimToken }) {
  const { id: token_id, description, hint, owner, is_in_force } = token
  const about = texts.scim.named(description, hint)
  const params = { path: { org, token_id } }
  const revoke = useChange(() => unwrap(api.DELETE('/scim-tokens/{org}/{token_id}', { params })), {
    notice: texts.scim.revoked,
  })
  const adopt = useChange(() => unwrap(api.PUT('/scim-tokens/{org}/{token_id}/adopt', { params })), {
    notice: texts.scim.adopted,
  })
  return (
    <Group gap="xs" wrap="nowrap">
      {!is_in_force && (
        <ConfirmButton
          label={texts.scim.adopt}
          about={about}
          question={texts.scim.adoptQuestion(owner ?? '')}
          change={adopt}
          input={undefined}
          color="ink"
        />
      )}
      <ConfirmButton
        label={texts.scim.revoke}
        about={about}
        question={texts.scim.revokeQuestion}
        change={revoke}
        input={undefined}
      />
    </Group>
  )
}
