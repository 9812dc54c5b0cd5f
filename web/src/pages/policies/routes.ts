// The addresses of policies.

export const policiesRoutes = [] as const
