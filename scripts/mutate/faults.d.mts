export interface Fault {
  id: string
  why: string
  file: string
  find: string
  replace: string
  tests: string[]
}

export interface TestReport {
  success?: boolean
  testResults?: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

export type Verdict =
  | { kind: 'caught'; file: string; title: string }
  | { kind: 'broken'; reason: string }
  | { kind: 'survived' }

export function readFaults(): Fault[]
export function pick(faults: readonly Fault[], parts: readonly string[]): Fault[]
export function plant(fault: Fault, text: string): string
export function getVerdict(report: TestReport | undefined): Verdict
