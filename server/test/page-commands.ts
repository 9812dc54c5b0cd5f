// The commands in documents: the suite runs `sh` blocks as written; it does not run `console` blocks, and their first
// line must mark them.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/run/prepare.mjs'
import { collectOutput, type Finished, makeScratchFolder, waitForEnd } from './service.ts'

export interface CodeBlock {
  line: number
  language: string
  /** Without the block's indentation. */
  text: string
}

const FENCE = /^( *)```(.*)$/

export const readPage = (path: string) => readFileSync(join(root, path), 'utf8')

export function readCodeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let open: { indent: number; block: CodeBlock } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, indent = '', language = ''] = FENCE.exec(line) ?? []
    if (!FENCE.test(line)) {
      if (open) open.block.text += `${line.slice(open.indent)}\n`
    } else if (open) {
      blocks.push(open.block)
      open = undefined
    } else open = { indent: indent.length, block: { line: index + 1, language, text: '' } }
  }
  return blocks
}

/** The blocks of a page that the suite runs. */
export function readCommands(path: string): string[] {
  return readCodeBlocks(readPage(path))
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text)
}

export interface ShellOptions {
  /** The folder in which the commands run; defaults to a new one. */
  cwd?: string
  env?: Record<string, string>
}

/** Runs a script in a shell that ends at the first failure. `waybill` is the built command line. */
export async function runCommands(script: string, options: ShellOptions = {}): Promise<Finished> {
  const folder = makeScratchFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const program = join(bin, 'waybill')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'cli/dist/main.js')}" "$@"\n`)
  chmodSync(program, 0o755)
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: options.cwd ?? folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, TMPDIR: process.env.TMPDIR, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(shell)
  const { code } = await waitForEnd(shell)
  return { code, stdout: output.stdout(), stderr: output.stderr() }
}
