// Errors about mail domains.
import { type AppError, notFound } from '../../lib/errors.ts'

export function noSuchDomain(domain: string): AppError {
  return notFound(`The organization does not claim the mail domain '${domain}'`)
}
