// The last use of a key: when, and from which address.
import { RelativeTime } from '../../parts/time.tsx'
import type { ApiKey } from './key-owners.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

/** A `last_used_at` of 0 means never. */
export function LastUse({ last_used_at, last_used_from }: Pick<ApiKey, 'last_used_at' | 'last_used_from'>) {
  return (
    <>
      <RelativeTime at={last_used_at || null} />
      {last_used_at > 0 && last_used_from !== null && texts.keys.lastUsedFrom(last_used_from)}
    </>
  )
}
