// The part of the Model Context Protocol that a tool server needs: JSON-RPC 2.0, one message per line.

/** Newest first. A client that asks for another version gets the newest, and decides. */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

export const ERROR_CODES = {
  parse: -32_700,
  invalid_request: -32_600,
  unknown_method: -32_601,
  invalid_params: -32_602,
  internal: -32_603,
} as const

export type Id = string | number

export interface Request {
  /** Missing in notifications, which get no response. */
  id?: Id
  method: string
  params: Readonly<Record<string, unknown>>
}

export class ProtocolError extends Error {
  readonly code: number
  /** The id of the request, if it could be read. */
  readonly id: Id | null
  constructor(code: keyof typeof ERROR_CODES, message: string, id: Id | null = null) {
    super(message)
    this.code = ERROR_CODES[code]
    this.id = id
  }
}

/** Undefined for a response from the client, since this server sends no requests. */
export function parseMessage(line: Buffer): Request | undefined {
  const message = parseJson(line)
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new ProtocolError('invalid_request', 'A message must be one JSON object')
  const { jsonrpc, id, method, params = {} } = message as Record<string, unknown>
  if (jsonrpc === '2.0' && method === undefined && ('result' in message || 'error' in message))
    return undefined
  const isId = id === undefined || typeof id === 'string' || Number.isInteger(id)
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId)
    throw new ProtocolError('invalid_request', 'A request needs "jsonrpc": "2.0", a method and an id')
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new ProtocolError('invalid_params', 'The params must be an object', (id as Id | undefined) ?? null)
  return { ...(id === undefined ? {} : { id: id as Id }), method, params: params as Request['params'] }
}

function parseJson(line: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
  } catch {
    throw new ProtocolError('parse', 'The line is not JSON in UTF-8')
  }
}

export const formatResult = (id: Id, result: unknown): string => formatMessage({ id, result })

export const formatError = (id: Id | null, { code, message }: ProtocolError): string =>
  formatMessage({ id, error: { code, message } })

const formatMessage = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
