// How PostgreSQL plans statements: once for all values, or for the values of each call. `auto` lets it decide by its
// estimates. A statement that knows better declares it (docs/adr/0028).
import type { Query } from './packet.ts'
import type { Plan } from './statement.ts'

export type Plans = 'auto' | 'force_custom_plan' | 'force_generic_plan'

/** One statement that needs a plan for its values decides for all: the others only take a little longer. */
export function choosePlans(steps: readonly { plan?: Plan | undefined }[]): Plans {
  if (steps.some(({ plan }) => plan === 'custom')) return 'force_custom_plan'
  return steps.every(({ plan }) => plan === 'generic') ? 'force_generic_plan' : 'auto'
}

/** Whether statements that want one mode may run while the other is set: planning for each call only takes longer. */
export function isPlannedAsWanted(set: Plans, wanted: Plans): boolean {
  return set === wanted || (set === 'force_custom_plan' && wanted === 'auto')
}

export const PLANS = 'plans'

/** Applies to the rest of an open transaction, or until the next such query. */
export function buildPlansQuery(plans: Plans): Query {
  return {
    name: PLANS,
    text: "select where set_config('plan_cache_mode', $1, true) is null",
    values: [plans],
  }
}
