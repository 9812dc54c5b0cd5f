// Tells the CI system about the job, in its own way: a summary on the run page, annotations, values to mask
// in logs, and variables for later steps. Skips whatever a system does not support.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { escapeControls } from '../print/table.ts'
import { failUsage } from '../program/problem.ts'
import type { CiJob } from './detect.ts'
import type { Environment } from './systems.ts'

type Level = 'notice' | 'warning' | 'error'

export interface Report {
  /** Returns whether the CI system supports summaries. A failure to write one never fails the command. */
  writeSummary(markdown: string, level: Level): boolean
  annotate(level: Level, message: string): void
  /** Masks a secret in the job log, if the CI system can do that. */
  mask(secret: string): boolean
  /** Sets a variable for later steps. Never use it for a secret. */
  exportVariable(name: string, value: string): boolean
}

export interface ReportParts {
  ci: CiJob | undefined
  env: Environment
  /** Standard error: the systems read commands there too, and standard output is for the command's answer. */
  writeError(text: string): void
}

/** The size limit of one summary in GitHub Actions. */
const LARGEST_SUMMARY_BYTES = 1024 * 1024

export function makeReport({ ci, env, writeError }: ReportParts): Report {
  const say = (line: string) => writeError(`${line}\n`)
  if (ci === undefined) return SILENT
  const report = chooseReport(ci, env, say)
  return {
    ...report,
    writeSummary: (markdown, level) => {
      try {
        return report.writeSummary(markdown, level)
      } catch (error) {
        say(`The summary was not written: ${escapeControls(String(error))}`)
        return false
      }
    },
  }
}

/** Outside of CI, the output of the command is enough. */
const SILENT: Report = {
  writeSummary: () => false,
  annotate: () => undefined,
  mask: () => false,
  exportVariable: () => false,
}

function chooseReport(ci: CiJob, env: Environment, say: (line: string) => void): Report {
  switch (ci.system.id) {
    case 'github':
      return reportToGithub(env, say)
    case 'azure':
      return reportToAzure(getTemporaryFolder(ci, env), say)
    case 'buildkite':
      return reportToBuildkite(env, say)
    case 'circleci':
      return {
        ...reportInText(say),
        exportVariable: (name, value) => exportToShell(env.BASH_ENV, name, value),
      }
    default:
      return reportInText(say)
  }
}

function reportToGithub(env: Environment, say: (line: string) => void): Report {
  return {
    writeSummary: markdown => appendTo(env.GITHUB_STEP_SUMMARY, cut(`${markdown}\n`)),
    annotate: (level, message) => say(`::${level}::${escapeForGithub(message)}`),
    mask: secret => {
      say(`::add-mask::${escapeForGithub(secret)}`)
      return true
    },
    exportVariable: (name, value) => {
      refuseLines(name, value)
      return appendTo(env.GITHUB_ENV, `${name}=${value}\n`)
    },
  }
}

function reportToAzure(folder: string, say: (line: string) => void): Report {
  const send = (command: string, value: string) => {
    say(`##vso[${command}]${escapeForAzure(value)}`)
    return true
  }
  return {
    writeSummary: markdown => {
      const path = join(mkdtempSync(join(folder, 'waybill-')), 'waybill.md')
      writeFileSync(path, cut(markdown))
      return send('task.uploadsummary', path)
    },
    // This system has no notices.
    annotate: (level, message) =>
      void (level === 'notice' ? say(escapeControls(message)) : send(`task.logissue type=${level}`, message)),
    mask: secret => send('task.setsecret', secret),
    exportVariable: (name, value) => {
      refuseLines(name, value)
      return send(`task.setvariable variable=${name}`, value)
    },
  }
}

const BUILDKITE_STYLES: Record<Level, string> = { notice: 'info', warning: 'warning', error: 'error' }

function reportToBuildkite(env: Environment, say: (line: string) => void): Report {
  const run = (args: readonly string[], input: string): boolean => {
    try {
      execFileSync('buildkite-agent', args, { input, env: { ...env }, stdio: ['pipe', 'ignore', 'ignore'] })
      return true
    } catch {
      // The agent is missing or too old; the job continues without it.
      return false
    }
  }
  return {
    ...reportInText(say),
    writeSummary: (markdown, level) =>
      run(
        ['annotate', '--append', '--context', 'waybill', '--style', BUILDKITE_STYLES[level]],
        cut(`${markdown}\n`),
      ),
    mask: secret => run(['redactor', 'add'], secret),
  }
}

function reportInText(say: (line: string) => void): Report {
  return {
    writeSummary: () => false,
    annotate: (level, message) => say(`${level}: ${escapeControls(message.replaceAll(/\r?\n/g, ' '))}`),
    mask: () => false,
    exportVariable: () => false,
  }
}

/** `%` begins an escape sequence there, and a line break ends the command. */
function escapeForGithub(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeForAzure(text: string): string {
  return text.replaceAll('%', '%AZP25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function exportToShell(file: string | undefined, name: string, value: string): boolean {
  refuseLines(name, value)
  return appendTo(file, `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
}

/** A line break would set another variable. */
function refuseLines(name: string, value: string): void {
  if (/[\p{Cc}]/u.test(value)) failUsage(`The value of ${name} has a control character`)
}

function appendTo(file: string | undefined, text: string): boolean {
  if (file === undefined || file === '') return false
  appendFileSync(file, text)
  return true
}

function cut(markdown: string): string {
  const bytes = Buffer.from(markdown)
  if (bytes.length <= LARGEST_SUMMARY_BYTES) return markdown
  const note = '\n\n(cut off)\n'
  // A character cut in half becomes U+FFFD, which is removed.
  const kept = bytes.subarray(0, LARGEST_SUMMARY_BYTES - note.length).toString('utf8')
  return `${kept.replace(/\uFFFD$/, '')}${note}`
}

/** Removed with the job, if the CI system has such a folder. */
export function getTemporaryFolder(ci: CiJob | undefined, env: Environment): string {
  const variable = ci?.system.temporary_folder
  return (variable === undefined ? undefined : env[variable]) || env.TMPDIR || tmpdir()
}
