// Compares the policies of two consecutive snapshots.

export interface PolicyInForce {
  policy_id: string
  version: number
}

export const POLICY_CHANGES = ['attached', 'detached', 'updated'] as const

export interface PolicyChange {
  change: (typeof POLICY_CHANGES)[number]
  policy_id: string
  /** The version in force since the change; null if the policy was detached. */
  version: number | null
  /** The version in force before the change; null if the policy was attached. */
  previous_version: number | null
}

/** In the order of the policies: first those in force after the change, then those that are gone. */
export function comparePolicies(
  before: readonly PolicyInForce[],
  after: readonly PolicyInForce[],
): PolicyChange[] {
  const earlier = new Map(before.map(({ policy_id, version }) => [policy_id, version]))
  const kept = new Set(after.map(({ policy_id }) => policy_id))
  const current = after.flatMap(({ policy_id, version }): PolicyChange[] => {
    const previous_version = earlier.get(policy_id) ?? null
    if (previous_version === version) return []
    return [
      { change: previous_version === null ? 'attached' : 'updated', policy_id, version, previous_version },
    ]
  })
  const gone = before
    .filter(({ policy_id }) => !kept.has(policy_id))
    .map(
      ({ policy_id, version }): PolicyChange => ({
        change: 'detached',
        policy_id,
        version: null,
        previous_version: version,
      }),
    )
  return [...current, ...gone]
}
