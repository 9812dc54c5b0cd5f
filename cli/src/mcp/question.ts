// A question that an assistant can ask, as data: its parameters and its answer. The tool list, the argument
// check and the documentation follow from it.
import type { Reading } from '../commands/read.ts'

interface CommonParameter {
  summary: string
  is_required?: true
}

interface TextParameter extends CommonParameter {
  type: 'text'
  max: number
}

interface NumberParameter extends CommonParameter {
  type: 'number'
  min: number
  max: number
}

interface TextsParameter extends CommonParameter {
  type: 'texts'
  max: number
}

export type Parameter = TextParameter | NumberParameter | TextsParameter
export type Parameters = Readonly<Record<string, Parameter>>

type ValueOf<P extends Parameter> = P['type'] extends 'text'
  ? string
  : P['type'] extends 'number'
    ? number
    : readonly string[]

type ValuesOf<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends { is_required: true } ? ValueOf<P[K]> : ValueOf<P[K]> | undefined
}

/** The operations that a question may use: reads, and computations by the service. Nothing else. */
export interface Service {
  read<T>(reading: Reading): Promise<T>
  /** Asks what a policy would change. The service stores nothing. */
  tryPolicy<T>(name: string | undefined, json: unknown): Promise<T>
  /** The address of a page of the web app, relative to the organization. */
  link(...path: readonly string[]): string
}

export interface Answered {
  /** In our own words, without any text from others. */
  summary: string
  /** One fact per line. Only these contain text from others. */
  lines: readonly string[]
  /** How to get the rest; in our own words. */
  more?: string | undefined
}

export interface Question<P extends Parameters = Parameters> {
  name: string
  title: string
  description: string
  parameters: P
  /** Operation ids of the OpenAPI document. None of them changes anything. */
  operations: readonly string[]
  answer(values: ValuesOf<P>, service: Service): Promise<Answered>
}

export function defineQuestion<const P extends Parameters>(question: Question<P>): Question {
  return question
}

const MAX_NAME = 512
export const MAX_PAGE = 10_000
/** The maximum number of facts in an answer. */
export const PER_PAGE = 25

export const text = (summary: string) => ({ type: 'text', summary, max: MAX_NAME }) as const
export const requiredText = (summary: string, max = MAX_NAME) =>
  ({ type: 'text', summary, max, is_required: true }) as const
export const page = {
  type: 'number',
  summary: 'which page of the answer; 1 is the first',
  min: 1,
  max: MAX_PAGE,
} as const
