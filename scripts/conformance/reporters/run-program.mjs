// Runs programs for the conformance commands: the built command line, and the existing client.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '../../run/prepare.mjs'

export const WAYBILL = [process.execPath, join(root, 'cli', 'dist', 'main.js')]

/** With only the given variables and a separate home: clients derive defaults from many variables. */
export function startProgram([program, ...first], args, { folder, env }) {
  return spawn(program, [...first, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Asynchronous, because this process may contain the server that the program calls. */
export async function runProgram(command, args, surroundings) {
  const child = startProgram(command, args, surroundings)
  const closed = once(child, 'close')
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { status, stdout, stderr }
}
