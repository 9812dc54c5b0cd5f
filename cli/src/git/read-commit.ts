// Reads a commit with git. Uses only plumbing commands: others run programs that the checkout's configuration
// names, and a checkout may come from a stranger.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { failUsage } from '../program/problem.ts'

export interface CommitInfo {
  sha1: string
  message?: string
  author?: string
  branch?: string
  timestamp: number
  parents: string[]
  url?: string
}

/** Parts that the user does not want to store. */
export const REDACTABLE = ['author', 'message', 'branch'] as const

const run = promisify(execFile)
const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-pager']

export async function readCommit(
  folder: string,
  revision: string,
  redacted: readonly string[] = [],
): Promise<CommitInfo> {
  const sha1 = await runGit(folder, ['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`])
  const [text, branch] = await Promise.all([
    runGit(folder, ['cat-file', 'commit', sha1]),
    runGit(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']).catch(() => undefined),
  ])
  const { author, message, timestamp, parents } = parseCommit(text)
  const all = { author, message, branch }
  const kept = Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value !== undefined && !redacted.includes(name)),
  )
  return { sha1, ...kept, timestamp, parents }
}

/** Parses a commit object: headers, an empty line, the message. */
function parseCommit(text: string) {
  const end = text.indexOf('\n\n')
  const headers = (end === -1 ? text : text.slice(0, end)).split('\n')
  const author_line = headers.find(line => line.startsWith('author '))?.slice('author '.length) ?? ''
  const committer = headers.find(line => line.startsWith('committer ')) ?? author_line
  const [, author] = /^(.*) \d+ [+-]\d{4}$/.exec(author_line) ?? []
  const [, seconds = '0'] = / (\d+) [+-]\d{4}$/.exec(committer) ?? []
  return {
    author,
    timestamp: Number(seconds),
    parents: headers.flatMap(line => (line.startsWith('parent ') ? [line.slice('parent '.length)] : [])),
    message: end === -1 ? '' : text.slice(end + 2).trimEnd(),
  }
}

async function runGit(folder: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('git', [...SAFE, ...args], { cwd: folder, maxBuffer: 16 * 1024 * 1024 })
    return stdout.trim()
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string }
    if (code === 'ENOENT') failUsage('git is not installed, and --commit needs it')
    failUsage(`--commit: git cannot find it in ${folder}: ${stderr?.trim().split('\n', 1)[0] ?? error}`)
  }
}
