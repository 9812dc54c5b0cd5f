// The addresses of flows.

export const flowsRoutes = [] as const
