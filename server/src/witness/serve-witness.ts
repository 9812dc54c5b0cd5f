// `waybill witness`: the program with which an auditor checks that a log only grows.
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { formatVerifierKey } from '@waybill/transparency-log'
import fastify, { type FastifyInstance } from 'fastify'
import { systemClock } from '../lib/clock.ts'
import { WitnessProblem } from './problem.ts'
import { openWitnessState } from './state.ts'
import { makeWitness, parseLogs, type Witness } from './witness.ts'

/** A request has at most 63 hashes and a checkpoint. */
const MAX_BODY_BYTES = 64 * 1024
const REQUEST_MS = 10_000
const LISTEN = /^(\[[0-9a-f:]+\]|[^:]+):(\d{1,5})$/i

export interface WitnessOptions {
  /** The folder for the witness's key and for the checkpoints that it has seen. */
  state: string
  /** A file with the verifier keys of the logs that it trusts. */
  logs: string
  name?: string
  listen: string
}

export interface RunningWitness {
  vkey: string
  url: string
  stop(): Promise<void>
}

export async function serveWitness(
  options: WitnessOptions,
  print: (text: string) => void,
): Promise<RunningWitness> {
  const [, host = '', port] = LISTEN.exec(options.listen) ?? []
  if (port === undefined || Number(port) > 65_535)
    throw new WitnessProblem('--listen must be an address and a port, such as 127.0.0.1:8002')
  const readLogs = async () => parseLogs(await readLogsFile(options.logs))
  await readLogs()
  const state = await openWitnessState(options.state, options.name)
  const server = makeWitnessServer(makeWitness({ state, clock: systemClock, readLogs, print }), print)
  const stop = async () => {
    await server.close()
    await state.close()
  }
  try {
    await server.listen({ host: host.replace(/^\[|\]$/g, ''), port: Number(port) })
  } catch (error) {
    await stop()
    throw new WitnessProblem(`Cannot listen on ${options.listen} (${(error as Error).message})`)
  }
  const address = server.server.address()
  const url = `http://${host}:${typeof address === 'object' ? address?.port : port}`
  const vkey = formatVerifierKey(state.key)
  print(`witness ${state.key.name} ${vkey} ${url}`)
  return { vkey, url, stop }
}

async function readLogsFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new WitnessProblem(`The logs cannot be read (${(error as Error).message})`)
  }
}

function makeWitnessServer(witness: Witness, print: (text: string) => void): FastifyInstance {
  const server = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: true,
  })
  server.removeAllContentTypeParsers()
  // Clients send any type or none.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  server.post('/add-checkpoint', async (request, reply) => {
    const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0)
    if (!isUtf8(body)) return reply.code(400).type('text/plain').send('The request is not UTF-8\n')
    const answer = await witness.addCheckpoint(body.toString())
    return reply.code(answer.status).type(answer.type).send(answer.body)
  })
  server.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
    const status = error.statusCode ?? 500
    // Nothing was cosigned. Problems with the folder are not the client's concern.
    if (status >= 500) print(`failed: ${error.message}`)
    return reply
      .code(status >= 500 ? 500 : 400)
      .type('text/plain')
      .send(status >= 500 ? 'The witness has a problem\n' : `${error.message}\n`)
  })
  return server
}
