// What is said about service accounts that are not there, are there already, or cannot be.
import { type AppError, badRequest, invalid, notFound } from '../../lib/errors.ts'

export const noSuchAccount = (): AppError => notFound('Service account not found')

export const accountExists = (name: string, org: string): AppError =>
  // Not 409: existing clients take that for something that passes, and try again.
  invalid({ name: `Service account '${name}' already exists in organization '${org}'` })

export const onlyInSharedOrgs = (org: string): AppError =>
  badRequest(`Service accounts exist only in shared organizations, and '${org}' is a personal one`)
