// The types of doc-tests.mjs, for the tests that use it.

export const TITLE_SEPARATOR: string

export interface Document {
  path: string
  sections?: readonly string[]
}

export const DOCUMENTS: readonly Document[]
export const EXCUSES: Readonly<Record<string, string>>

export interface TestName {
  file: string
  title: string
}

export interface Statement {
  line: number
  text: string
  /** The cells of a table row; empty for other statements. */
  cells: string[]
  tests: TestName[]
  excuse: string | undefined
  unreadable: string[]
}

export interface Reference extends TestName {
  id: string
}

export interface RanTest extends TestName {
  state: string
}

export function readStatements(markdown: string, sections?: readonly string[]): Statement[]
export function findProblems(path: string, markdown: string, sections?: readonly string[]): string[]
export function readSource(words: string): { name: string; file: string } | { command: string } | undefined
export function readReferences(path: string, markdown: string, sections?: readonly string[]): Reference[]
export function canBecome(written: string, title: string): boolean
export function findUnproven(references: readonly Reference[], ran: readonly RanTest[]): string[]
