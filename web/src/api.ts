// The way to the server: the generated client with the browser's session, and what is known of whoever is signed in.
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { waybillClient } from '@waybill/client'

export interface Session {
  user_id: string
  user: string
  display_name: string | null
  /** `needs_sso`: the org keeps this session out, because it was not made through single sign-on. */
  orgs: { name: string; role: string; needs_sso: boolean }[]
  may_create_orgs: boolean
  csrf_token: string
  expires_at: number
}

export class ApiProblem extends Error {
  readonly status: number
  /** By the path of the field in the body, such as `targets[0].webhook`. */
  readonly errors: Readonly<Record<string, string>>
  constructor(status: number, message: string, errors: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

/** What is wrong with the caller will not be better a moment later; what is wrong with the server may. */
const isWorthRetrying = (failures: number, error: Error) =>
  failures < 2 && (!(error instanceof ApiProblem) || error.status >= 500)

export const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: isWorthRetrying } },
})

export const api = waybillClient({ base_url: '/api/v2' })
api.use({
  onRequest: ({ request }) => {
    if (request.method === 'GET') return
    const session = queries.getQueryData(sessionQuery.queryKey)
    if (session) request.headers.set('x-csrf-token', session.csrf_token)
  },
  // The session is over: the frame around the pages sees that nobody is signed in any more, and leads to where one can.
  onResponse: ({ response }) => {
    if (response.status === 401) queries.setQueryData(sessionQuery.queryKey, null)
  },
})

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

interface Problem {
  message?: string
  errors?: Record<string, string>
}

/** The answer, or a problem with the sentence of the server. */
export async function unwrap<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request
  if (data !== undefined && response.ok) return data
  const { message = 'The server did not answer as expected', errors } = (error ?? {}) as Problem
  throw new ApiProblem(response.status, message, errors)
}

const ARCHIVED_COUNT = 'Waybill-Archived-Count'

/** A list, and how many archived ones it leaves out: none where it lists those. */
export async function unwrapWithCount<T>(request: Promise<Answer<T>>) {
  const answer = await unwrap(request)
  const { headers } = (await request).response
  return { answer, archived_count: Number(headers.get(ARCHIVED_COUNT) ?? 0) }
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    const response = await fetch('/auth/session', { headers: { accept: 'application/json' } })
    if (response.status === 401) return null
    if (!response.ok) throw new ApiProblem(response.status, 'The session could not be read')
    hadSession = true
    return response.json()
  },
})

/** Whoever was signed in and is not any more is told why they are asked again. */
let hadSession = false

/** Where to sign in through the identity provider, and to come back from. */
export function buildSsoUrl(back: string): string {
  return `/sign-in?sso=1&next=${encodeURIComponent(back)}`
}

/** Where to sign in, and to come back from. */
export function buildSignInUrl(back: string): string {
  return `/sign-in?next=${encodeURIComponent(back)}${hadSession ? '&ended=1' : ''}`
}
