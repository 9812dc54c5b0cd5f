// The types of build.mjs that tests use.
export const root: string
export const OPENAPI: string
