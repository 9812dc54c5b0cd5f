// Which deployments failed, from what was recorded. Nothing is known about incidents, so none are counted.

export interface DeploymentOutcomes {
  deployments: number
  /** Deployments whose artifact violated the environment's policies when it started, or that were rolled back. */
  failed: number
  /** Neither evaluated against a policy nor rolled back. */
  unknown: number
}

/** The share of failed deployments among those whose outcome is known; null if none is. */
export function computeFailureRate({ deployments, failed, unknown }: DeploymentOutcomes): number | null {
  const known = deployments - unknown
  return known === 0 ? null : failed / known
}
