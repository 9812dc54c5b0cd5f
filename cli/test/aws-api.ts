// A fake AWS on loopback: replays the responses that `npm run conformance -- aws --record` has recorded,
// checks that every request is signed, and can be made to respond differently.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import recorded from './aws-answers.json' with { type: 'json' }

interface Answer {
  status: number
  answer: string
  headers?: Record<string, string>
}

export interface Asked {
  method: string
  url: string
  target: string | undefined
  body: string
  headers: IncomingMessage['headers']
}

export interface AwsApi {
  url: string
  asked: Asked[]
  /** Responds instead of the recording until it returns undefined. */
  answer: (asked: Asked) => Answer | undefined
  stop(): Promise<void>
}

const UNKNOWN: Answer = { status: 404, answer: '<Error><Code>NoSuchKey</Code></Error>' }
const UNSIGNED: Answer = { status: 403, answer: '<Error><Code>MissingAuthenticationToken</Code></Error>' }
const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/eu-west-1\/(ecs|lambda|s3|sts)\/aws4_request, SignedHeaders=[\w;-]+, Signature=[0-9a-f]{64}$/

export async function startAwsApi(): Promise<AwsApi> {
  const api: AwsApi = { url: '', asked: [], answer: () => undefined, stop: async () => undefined }
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const target = headers['x-amz-target'] as string | undefined
    const asked = { method, url, target, body: (await buffer(request)).toString('utf8'), headers }
    api.asked.push(asked)
    const { status, answer, headers: more } = api.answer(asked) ?? findRecorded(asked)
    response.writeHead(status, more).end(answer)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  api.stop = () => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(() => resolve()))
  }
  return api
}

function findRecorded(asked: Asked): Answer {
  if (!SIGNED.test(asked.headers.authorization ?? '')) return UNSIGNED
  const found = recorded.find(
    ({ method, url, target, body }) =>
      method === asked.method && url === asked.url && target === asked.target && body === asked.body,
  )
  return found ?? UNKNOWN
}
