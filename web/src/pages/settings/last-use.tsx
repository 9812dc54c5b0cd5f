// When a key was last used, and from where.
import { RelativeTime } from '../../parts/time.tsx'
import type { ApiKey } from './key-owners.ts'

/** `last_used_at` of 0 means never. */
export function LastUse({ last_used_at, last_used_from }: Pick<ApiKey, 'last_used_at' | 'last_used_from'>) {
  return (
    <>
      <RelativeTime at={last_used_at || null} />
      {last_used_at > 0 && last_used_from !== null && ` from ${last_used_from}`}
    </>
  )
}
