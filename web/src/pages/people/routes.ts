// The addresses of people.

export const peopleRoutes = [] as const
