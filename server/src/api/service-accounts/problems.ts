// The errors of service account operations.
import { type AppError, badRequest, invalid, notFound } from '../../lib/errors.ts'

export const noSuchAccount = (): AppError => notFound('Service account not found')

export const accountExists = (name: string, org: string): AppError =>
  // Not 409, which existing clients treat as temporary and retry.
  invalid({ name: `Service account '${name}' already exists in organization '${org}'` })

export const onlyInSharedOrgs = (org: string): AppError =>
  badRequest(`Service accounts exist only in shared organizations, and '${org}' is a personal one`)
