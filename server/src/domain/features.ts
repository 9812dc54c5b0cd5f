// Features that an organization can switch on and off, and their defaults.

export type Features = Record<string, boolean>

export const DEFAULT_FEATURES: Readonly<Features> = { controls: true }
