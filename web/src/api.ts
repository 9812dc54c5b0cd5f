// The API client with the browser's session, and the session itself.
import { onlineManager, QueryClient, queryOptions } from '@tanstack/react-query'
import { createWaybillClient } from '@waybill/client'
import { BASE_PATH } from './base-path.ts'
import { makeConnection } from './live/connection.ts'
import { clock } from './live/server-clock.ts'
import { appTexts as texts } from './texts.ts'
import { unsaved } from './ui/unsaved.ts'

export interface Session {
  user_id: string
  user: string
  display_name: string | null
  /** How the user wants to see times. */
  time_zone: 'local' | 'utc'
  /** `needs_sso`: this session can't open the org, because it was not created through single sign-on. */
  orgs: { name: string; role: string; needs_sso: boolean }[]
  may_create_orgs: boolean
  csrf_token: string
  expires_at: number
  /** The session is over, but a page with unsaved text stays open until its user has signed in again. */
  has_expired?: true
}

export class ApiProblem extends Error {
  readonly status: number
  /** Keyed by the path of the field in the body, such as `targets[0].webhook`. */
  readonly errors: Readonly<Record<string, string>>
  constructor(status: number, message: string, errors: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

/** Whether the server responds and can reach its database, with or without a session. */
async function probe(): Promise<boolean> {
  try {
    return (
      (await fetch(`${BASE_PATH}/auth/session`, { headers: { accept: 'application/json' } })).status < 500
    )
  } catch {
    // A missing response is the result of this query.
    return false
  }
}

export const connection = makeConnection(probe, clock.readMs)

const UNAUTHORIZED = 401

/** A proxy answers like this, or a server without its database. */
const isAway = (status: number) => status >= 502 && status <= 504

/**
 * A client error would fail again; a server error may be over at the next attempt. Without a response, the
 * query waits until the server is back.
 */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isOver = error instanceof ApiProblem && error.status === UNAUTHORIZED
  if (isOver && queries.getQueryData(sessionQuery.queryKey)?.has_expired) return true
  if (!(error instanceof ApiProblem)) {
    if (error instanceof TypeError) connection.reportFailure()
    return error instanceof TypeError || failures < 2
  }
  if (isAway(error.status)) connection.suspect()
  return failures < 2 && error.status >= 500
}

export const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: isWorthRetrying } },
})

export const api = createWaybillClient({ base_url: `${BASE_PATH}/api/v2` })
api.use({
  onRequest: ({ request }) => {
    if (request.method === 'GET') return
    const session = queries.getQueryData(sessionQuery.queryKey)
    if (session) request.headers.set('x-csrf-token', session.csrf_token)
  },
  onResponse: ({ response }) => {
    clock.learn(Date.parse(response.headers.get('date') ?? ''))
    if (response.status === 401) endSession()
  },
})

/** The session has expired: the shell redirects to the sign-in page, unless that would lose unsaved text. */
export function endSession(): void {
  queries.setQueryData(sessionQuery.queryKey, last => keepIfUnsaved(last))
}

/** While the session is over, queries wait instead of failing, so that the page keeps what it shows. */
function keepIfUnsaved(last: Session | null | undefined): Session | null {
  if (!last || !unsaved.isAny()) return null
  onlineManager.setOnline(false)
  return { ...last, has_expired: true }
}

/** After somebody has signed in in another tab: continues, or starts over if it is a different user. */
export async function resumeSession(): Promise<void> {
  const last = queries.getQueryData(sessionQuery.queryKey)
  if (!last?.has_expired) return
  const session = await readSession()
  if (!session) return
  if (session.user_id !== last.user_id) return window.location.reload()
  queries.setQueryData(sessionQuery.queryKey, session)
  onlineManager.setOnline(true)
}

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

interface Problem {
  message?: string
  errors?: Record<string, string>
}

const FORBIDDEN = 403
/** The API's message for anyone outside the organization, followed by the path of the request. */
const ACCESS_DENIED = 'Access denied to '

/** Returns the data, or throws an `ApiProblem` with the server's message. */
export async function unwrap<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request
  if (data !== undefined && response.ok) return data
  const { message = texts.unexpectedAnswer, errors } = (error ?? {}) as Problem
  const isOutsider = response.status === FORBIDDEN && message.startsWith(ACCESS_DENIED)
  throw new ApiProblem(response.status, isOutsider ? texts.noAccess : message, errors)
}

const ARCHIVED_COUNT = 'Waybill-Archived-Count'

/** A list, and the number of archived items that it omits: 0 for a list of archived items. */
export async function unwrapWithCount<T>(request: Promise<Answer<T>>) {
  const answer = await unwrap(request)
  const { headers } = (await request).response
  return { answer, archived_count: Number(headers.get(ARCHIVED_COUNT) ?? 0) }
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ client }): Promise<Session | null> =>
    (await readSession()) ?? keepIfUnsaved(client.getQueryData<Session | null>(['session'])),
})

async function readSession(): Promise<Session | null> {
  const response = await fetch(`${BASE_PATH}/auth/session`, { headers: { accept: 'application/json' } })
  if (response.status === 401) return null
  if (!response.ok) throw new ApiProblem(response.status, texts.sessionUnreadable)
  hadSession = true
  return response.json()
}

/** The changes in an organization, as server-sent events. */
export function openEvents(
  org: string,
  {
    last_event_id,
    follow,
    signal,
  }: { last_event_id: string | undefined; follow: boolean; signal: AbortSignal },
): Promise<Response> {
  const headers = { accept: 'text/event-stream', ...(last_event_id && { 'last-event-id': last_event_id }) }
  const path = `${BASE_PATH}/api/v2/events/${encodeURIComponent(org)}/stream${follow ? '' : '?follow=false'}`
  return fetch(path, { headers, signal, cache: 'no-store' })
}

/** Lets the sign-in page explain that the session has expired. */
let hadSession = false

/** Signs in through the identity provider, then returns to `back`. */
export function buildSsoUrl(back: string): string {
  return `${BASE_PATH}/sign-in?sso=1&next=${encodeURIComponent(back)}`
}

/** Signs in, then returns to `back`. */
export function buildSignInUrl(back: string): string {
  return `${BASE_PATH}/sign-in?next=${encodeURIComponent(back)}${hadSession ? '&ended=1' : ''}`
}
