// The addresses of notifications.

export const notificationsRoutes = [] as const
