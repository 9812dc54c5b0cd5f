// Errors of SCIM requests, with the keywords of RFC 7644 §3.12, and how they are sent.

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness'

/** The message is the detail of the error response. */
export class ScimProblem extends Error {
  readonly status: number
  readonly scim_type: ScimType | undefined

  constructor(status: number, scim_type: ScimType | undefined, detail: string) {
    super(detail)
    this.status = status
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
  new ScimProblem(404, undefined, `There is no ${type} with the id '${id}'`)

/** The body of an error response. */
export function renderProblem(status: number, scim_type: ScimType | undefined, detail: string) {
  return {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scim_type === undefined ? {} : { scimType: scim_type }),
    detail,
  }
}
