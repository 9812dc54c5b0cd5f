// The addresses of search.

export const searchRoutes = [] as const
