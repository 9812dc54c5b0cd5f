#!/usr/bin/env node
// The program `waybill`: the client, and the server for its commands.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { System } from './program/context.ts'
import { EXIT_CODES } from './program/exit-codes.ts'
import { runCli } from './program/run.ts'
import { isServerCommand } from './server-commands.ts'

/**
 * Built separately from the client, and loaded only when needed. The manifest beside the program gives its
 * path.
 */
const SERVER_PROGRAM = '#server'

/** How long a reporter may take to stop by itself. */
const STOP_MS = 500

const argv = process.argv.slice(2)
// The build is CommonJS, which has no top-level await.
void (isServerCommand(argv) ? runServer() : runClient())

async function runClient(): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stop.abort()
      // Spooled writes are safe; an interrupted request is sent again.
      setTimeout(() => process.exit(EXIT_CODES.interrupted), STOP_MS)
    })
  process.exitCode = await runCli(makeSystem(stop.signal))
  if (stop.signal.aborted) process.exit(EXIT_CODES.interrupted)
}

async function runServer(): Promise<void> {
  process.env.NODE_ENV ??= 'production'
  await import(SERVER_PROGRAM)
}

function makeSystem(signal: AbortSignal): System {
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'))
  return {
    argv,
    env: process.env,
    cwd: process.cwd(),
    version,
    getStdin: () => process.stdin,
    writeOut: text => void process.stdout.write(text),
    writeError: text => void process.stderr.write(text),
    isTerminal: () => process.stdin.isTTY === true && process.stdout.isTTY === true,
    now_ms: Date.now,
    random_hex: () => randomBytes(8).toString('hex'),
    signal,
  }
}
