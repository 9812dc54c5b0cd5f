// What is said about service accounts that are not there, are there already, or cannot be.
import { type AppError, badRequest, conflict, notFound } from '../../lib/errors.ts'

export const noSuchAccount = (): AppError => notFound('Service account not found')

export const accountExists = (name: string, org: string): AppError =>
  conflict(`Service account '${name}' already exists in organization '${org}'`)

export const onlyInSharedOrgs = (org: string): AppError =>
  badRequest(`Service accounts exist only in shared organizations, and '${org}' is a personal one`)
