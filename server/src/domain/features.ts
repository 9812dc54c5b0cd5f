// What an organization can have switched on and off, and what a new one begins with.

export type Features = Record<string, boolean>

export const DEFAULT_FEATURES: Readonly<Features> = { controls: true }
