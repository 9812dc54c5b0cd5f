// The types of program-package.mjs that tests use.
import type { Entry } from './entries.mjs'

export function listDependencies(): string[]
export function listProgramFiles(version: string): Entry[]
