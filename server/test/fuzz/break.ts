// One way to break a request, for the fuzz test.
import type fc from 'fast-check'
import type { FuzzDocument } from './document.ts'
import type { Draft } from './requests.ts'

export interface Broken extends Partial<Omit<Draft, 'broken'>> {
  /** More precise than the break's own description. */
  how?: string
  /** Whether the service must reject it; false by default. */
  is_certain?: boolean
}

export interface Break {
  how: string
  /** How often it is chosen, relative to the others that apply. */
  weight: number
  applies(draft: Draft): boolean
  of(draft: Draft, document: FuzzDocument): fc.Arbitrary<Broken>
}
