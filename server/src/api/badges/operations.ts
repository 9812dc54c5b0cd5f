// The operations on badges.
import type { Operation } from '../operation.ts'
import { createBadge } from './create.ts'
import { getBadge } from './get.ts'
import { listBadges } from './list.ts'
import { revokeBadge } from './revoke.ts'

export const badgeOperations: readonly Operation[] = [createBadge, listBadges, revokeBadge, getBadge]
