export const TITLE_SEPARATOR: string

export interface Statement {
  id: string
  section: string
  statement: string
  file: string
  title: string
}

export interface RanTest {
  file: string
  title: string
  state: string
}

export function readStatements(markdown: string): Statement[]
export function canBecome(written: string, title: string): boolean
export function unshown(statements: readonly Statement[], ran: readonly RanTest[]): string[]
