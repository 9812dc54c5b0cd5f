// Attests the quality gate of a SonarQube analysis: the scanner's report file identifies the analysis, and
// the server knows the result.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { EvidenceFile } from '@waybill/evidence-files'
import { type AskHost, makeAskHost } from '../../http/ask-host.ts'
import { defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { numberOr, requiredText, textOr } from '../../program/flags.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import { ARTIFACT_ARGUMENT, ATTEST_FLAGS, attest } from './attest.ts'
import { readWith } from './parsed.ts'

const POLL_MS = 1_000
const UNFINISHED = new Set(['PENDING', 'IN_PROGRESS'])

export const attestSonar = defineCommand({
  words: ['attest', 'sonar'],
  summary: 'record the quality gate of a SonarQube or SonarCloud analysis',
  args: [ARTIFACT_ARGUMENT],
  flags: {
    ...ATTEST_FLAGS,
    'sonar-api-token': requiredText('a token that may read the project', { placeholder: '<token>' }),
    'sonar-working-dir': textOr('the folder in which the scanner wrote report-task.txt', '.scannerwork', {
      placeholder: '<folder>',
    }),
    'max-wait': numberOr('seconds to wait for the analysis', 300, { min: 0, max: 3600 }),
  },
  needs: 'org',
  operations: ['reportSonarAttestation'],
  is_recorded: true,
  examples: ['attest sonar --name quality-gate --flow backend-ci'],
  run: async ({ args, flags, context }) => {
    const file = join(resolve(context.system.cwd, flags['sonar-working-dir']), 'report-task.txt')
    const report = await readReport(file)
    const { server_url, ce_task_id } = await readWith(reader =>
      reader.readReportTask(reader.openEvidence(file, report)),
    )
    const ask = makeAskHost(context.exchange, {
      name: 'SonarQube',
      flag: 'sonar-working-dir',
      base_url: server_url,
      headers: { authorization: `Bearer ${flags['sonar-api-token']}` },
      timeout_ms: context.timeout_ms,
    })
    const task = await waitForTask(ask, ce_task_id, flags['max-wait'], context)
    const analysis = encodeURIComponent(task.analysisId ?? '')
    const gate = await ask(`/api/qualitygates/project_status?analysisId=${analysis}`)
    const { sonar_results } = await readWith(reader => {
      const open = (name: string, value: unknown): EvidenceFile =>
        reader.openEvidence(name, Buffer.from(JSON.stringify(value)))
      return reader.readSonar({
        report_task: reader.openEvidence(file, report),
        quality_gate: open('quality gate', gate),
        task: open('task', { task }),
      })
    })
    return attest({ kind: 'sonar', fields: { sonar_results } }, args.artifact, flags, context)
  },
})

async function readReport(file: string): Promise<Buffer> {
  try {
    return readFileSync(file)
  } catch {
    failUsage(`${file} cannot be read`, 'The scanner writes it. Name its folder with --sonar-working-dir.')
  }
}

interface Task {
  status?: string
  analysisId?: string
}

/** An unfinished analysis has not passed. */
async function waitForTask(ask: AskHost, id: string, seconds: number, { system }: Context): Promise<Task> {
  const deadline_ms = system.now_ms() + seconds * 1000
  for (;;) {
    const { task = {} } = (await ask(`/api/ce/task?id=${encodeURIComponent(id)}`)) as { task?: Task }
    if (!UNFINISHED.has(task.status ?? '')) {
      if (task.status === 'SUCCESS') return task
      throw new Problem(`The analysis ended with ${task.status ?? 'no status'}`, { exit: 'unknown' })
    }
    if (system.now_ms() >= deadline_ms)
      throw new Problem('The analysis has not finished', {
        exit: 'unknown',
        hint: 'Wait longer with --max-wait.',
      })
    await wait(POLL_MS)
  }
}
