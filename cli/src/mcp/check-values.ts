// Checks arguments against the parameters of a question, and describes the parameters as JSON Schema.
import type { Parameter, Parameters } from './question.ts'

/** A sentence for the assistant, which can ask again. */
export class WrongValue extends Error {}

export function checkValues(parameters: Parameters, given: unknown): Record<string, unknown> {
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    throw new WrongValue('The arguments must be an object')
  const values = (given ?? {}) as Record<string, unknown>
  const unknown = Object.keys(values).find(name => !Object.hasOwn(parameters, name))
  if (unknown !== undefined)
    throw new WrongValue(
      `There is no such parameter; known are: ${Object.keys(parameters).join(', ') || 'none'}`,
    )
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = values[name]
    if (value === undefined && parameter.is_required) throw new WrongValue(`"${name}" is missing`)
    if (value !== undefined && !isRight(parameter, value))
      throw new WrongValue(`"${name}" must be ${describe(parameter)}`)
  }
  return values
}

function isRight(parameter: Parameter, value: unknown): boolean {
  if (parameter.type === 'number')
    return Number.isInteger(value) && Number(value) >= parameter.min && Number(value) <= parameter.max
  if (parameter.type === 'text') return isText(value, parameter.max)
  return (
    Array.isArray(value) && value.length <= parameter.max && value.every(item => isText(item, parameter.max))
  )
}

const isText = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= max

function describe(parameter: Parameter): string {
  if (parameter.type === 'number') return `a whole number from ${parameter.min} to ${parameter.max}`
  if (parameter.type === 'text') return `a text of 1 to ${parameter.max} characters`
  return `a list of at most ${parameter.max} texts`
}

export function toJsonSchema(parameters: Parameters): Record<string, unknown> {
  const required = Object.entries(parameters).flatMap(([name, { is_required }]) =>
    is_required ? [name] : [],
  )
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(parameters).map(([name, parameter]) => [name, toProperty(parameter)]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

function toProperty(parameter: Parameter): Record<string, unknown> {
  const { summary: description } = parameter
  if (parameter.type === 'number')
    return { type: 'integer', description, minimum: parameter.min, maximum: parameter.max }
  if (parameter.type === 'text')
    return { type: 'string', description, minLength: 1, maxLength: parameter.max }
  return { type: 'array', description, items: { type: 'string', minLength: 1 }, maxItems: parameter.max }
}
