export const NODE_VERSIONS: readonly string[]
export const POSTGRES_VERSIONS: readonly string[]
