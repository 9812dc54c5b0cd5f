// The addresses of artifacts.

export const artifactsRoutes = [] as const
