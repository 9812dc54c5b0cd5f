// The addresses of controls.

export const controlsRoutes = [] as const
