// Errors of SCIM requests, with the keywords of RFC 7644 §3.12.
import { AppError } from '../lib/errors.ts'

export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness'

export class ScimProblem extends AppError {
  readonly scim_type: ScimType

  constructor(status: number, scim_type: ScimType, detail: string) {
    super(status, detail)
    this.scim_type = scim_type
  }
}

export const invalidFilter = (detail: string) => new ScimProblem(400, 'invalidFilter', detail)

export const invalidPath = (detail: string) => new ScimProblem(400, 'invalidPath', detail)

export const invalidSyntax = (detail: string) => new ScimProblem(400, 'invalidSyntax', detail)

export const invalidValue = (detail: string) => new ScimProblem(400, 'invalidValue', detail)

export const notChangeable = (name: string) => new ScimProblem(400, 'mutability', `${name} cannot be changed`)

export const noTarget = (detail: string) => new ScimProblem(400, 'noTarget', detail)

export const notUnique = (detail: string) => new ScimProblem(409, 'uniqueness', detail)

export const noSuchResource = (type: string, id: string) =>
  new AppError(404, `There is no ${type} with the id '${id}'`)
