// What a notification says, as its events tell it and as a retry is known by.
import { sameItems } from '../../lib/same-items.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { areAsWanted, type WantedTarget } from '../shared/target-changes.ts'
import { toldTargets } from '../shared/targets.ts'
import type { HeldEnvironment, NotificationRow } from './store.ts'

export interface WantedNotification {
  name: string
  triggers: string[]
  environments: readonly HeldEnvironment[]
  targets: readonly WantedTarget[]
}

/** Never with more of an address than its origin. */
export function told(row: NotificationRow, sealer: Sealer): Record<string, unknown> {
  const { number, name, environments, triggers, targets } = row
  return { number, name, environments, triggers, targets: toldTargets(targets, sealer) }
}

/** Whether a request for a new notification wants exactly this one: clients send it again when no answer came. */
export function isAsWanted(wanted: WantedNotification, row: NotificationRow, sealer: Sealer): boolean {
  return (
    wanted.name === row.name &&
    sameItems(wanted.triggers, row.triggers) &&
    sameItems(namesOf(wanted.environments), row.environments) &&
    areAsWanted(wanted.targets, row.targets, sealer)
  )
}

export function namesOf(environments: readonly HeldEnvironment[]): string[] {
  return environments.map(({ name }) => name)
}
