// The types of client-package.mjs that tests use.
import type { Entry } from './entries.mjs'

export function listClientFiles(version: string): Entry[]
