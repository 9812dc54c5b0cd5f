// Client-side checks of the trust rule form, and the mapping of the server's errors to its fields.
import type { FormErrors } from '@mantine/form'
import { uiTexts } from '../../ui/texts.ts'
import { keylessTexts } from './texts-keyless.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import { type Claim, isDuplicate, isReadable, type RuleDraft } from './trust-rule-draft.ts'
import { KINDS } from './trust-rule-kinds.ts'

export function validate({ issuer_kind, audience, claims, jwks, operations }: RuleDraft): FormErrors {
  const needsAudience = KINDS[issuer_kind].hasOwnAudience === true
  return {
    ...Object.fromEntries(claims.flatMap((claim, index) => validateClaim(claims, claim, `claims.${index}`))),
    ...(needsAudience && audience === '' && { audience: uiTexts.fields.required }),
    ...(!isReadable(jwks) && { jwks: keylessTexts.badKeys }),
    ...(operations.length === 0 && { operations: texts.trustRule.noOperations }),
  }
}

function validateClaim(claims: readonly Claim[], each: Claim, path: string): [string, string][] {
  const { required } = uiTexts.fields
  return [
    ...(each.claim.trim() === ''
      ? [[`${path}.claim`, required] as [string, string]]
      : isDuplicate(claims, each)
        ? [[`${path}.claim`, texts.trustRule.duplicateClaim] as [string, string]]
        : []),
    ...(each.value.trim() === '' ? [[`${path}.value`, required] as [string, string]] : []),
  ]
}

/** The request contains claims by name, and names may contain dots; the form has a list of them. */
export function findField(path: string, { claims }: RuleDraft): string | undefined {
  if (!path.startsWith('claims.')) return undefined
  const index = claims.findIndex(({ claim }) => `claims.${claim.trim()}` === path)
  return index === -1 ? undefined : `claims.${index}.value`
}
