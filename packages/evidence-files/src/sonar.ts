// SonarQube: the scanner's file report-task.txt and responses of the server's API, as the API's `sonar`
// attestation expects them. Fetches nothing.
import type { EvidenceFile } from './evidence-file.ts'
import { readJson } from './json-file.ts'
import {
  expectObject,
  failAt,
  getField,
  isMissing,
  type JsonNode,
  listOptionalItems,
  readOptionalText,
  readText,
} from './json-node.ts'
import { EvidenceProblem } from './problem.ts'
import { cutText, decodeUtf8, quote } from './text.ts'

const MAX_REPORT_BYTES = 64 * 1024
const MAX_TEXT = 1_000
const MAX_SHORT_TEXT = 200
const MAX_CONDITIONS = 200
const STATUSES: readonly string[] = ['OK', 'WARN', 'ERROR', 'NONE']

/** The scanner's report file. `ce_task_url` returns the state of the analysis. */
export interface SonarReportTask {
  project_key: string
  server_url: string
  dashboard_url: string
  ce_task_id: string
  ce_task_url: string
}

interface SonarCondition {
  metric: string
  errorThreshold: string
  operator: string
  value?: string
  status: string
}

/** The names are the SonarQube server's. */
export interface SonarResults {
  serverUrl: string
  taskId: string
  /** The id of the analysis; omitted without the response about the task. */
  status?: string
  analysedAt?: string
  revision?: string
  project: { key: string; name?: string; url: string }
  branch?: { name: string; type: string }
  pullRequest?: { key: string }
  qualityGate: { status: string; conditions: SonarCondition[] }
}

export interface SonarFiles {
  report_task: EvidenceFile
  /** The response of `api/qualitygates/project_status`. */
  quality_gate: EvidenceFile
  /** The response of `ce_task_url`; without it, status and branch are unknown. */
  task?: EvidenceFile
  /** The entry for the analysis in the response of `api/project_analyses/search`. */
  analysis?: { date: string; revision: string }
}

export function readSonar({ report_task, quality_gate, task, analysis }: SonarFiles): {
  sonar_results: SonarResults
} {
  const report = readReportTask(report_task)
  const { name, ...facts } = task === undefined ? {} : readTask(task, report.ce_task_id)
  return {
    sonar_results: {
      serverUrl: report.server_url,
      taskId: report.ce_task_id,
      ...(analysis ? { analysedAt: analysis.date, revision: analysis.revision } : {}),
      ...facts,
      project: {
        key: report.project_key,
        ...(name === undefined ? {} : { name }),
        url: report.dashboard_url,
      },
      qualityGate: readQualityGate(quality_gate),
    },
  }
}

/** `key=value` lines, as Java writes properties; the scanner escapes nothing. */
export function readReportTask(file: EvidenceFile): SonarReportTask {
  if (file.content.length > MAX_REPORT_BYTES) {
    throw new EvidenceProblem(
      file.name,
      undefined,
      `expected a report-task.txt of at most ${MAX_REPORT_BYTES} bytes.`,
    )
  }
  const values = new Map<string, string>()
  for (const [i, line] of decodeUtf8(file.name, file.content).split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [key, ...rest] = line.split('=')
    if (key === undefined || rest.length === 0) {
      throw new EvidenceProblem(
        file.name,
        `line ${i + 1}`,
        `expected a name, '=' and a value, found ${quote(line)}.`,
      )
    }
    values.set(key.trim(), rest.join('=').trim())
  }
  const read = (key: string): string => {
    const value = values.get(key)
    if (value) return cutText(value, MAX_TEXT)
    throw new EvidenceProblem(
      file.name,
      undefined,
      `expected a line '${key}=…', as the Sonar scanner writes it.`,
    )
  }
  return {
    project_key: read('projectKey'),
    server_url: read('serverUrl'),
    dashboard_url: cutText(values.get('dashboardUrl') ?? '', MAX_TEXT),
    ce_task_id: read('ceTaskId'),
    ce_task_url: read('ceTaskUrl'),
  }
}

interface TaskFacts {
  name?: string
  status?: string
  branch?: { name: string; type: string }
  pullRequest?: { key: string }
}

function readTask(file: EvidenceFile, expected_id: string): TaskFacts {
  const task = expectObject(getField(readAnswer(file), 'task'), 'the task')
  const id = getField(task, 'id')
  if (id.value !== expected_id) failAt(id, `the task ${quote(expected_id)} of report-task.txt`)
  const status = getField(task, 'status')
  if (status.value !== 'SUCCESS') {
    failAt(
      status,
      "the status 'SUCCESS' (another one means that the analysis has not finished or has failed)",
    )
  }
  const read = (key: string) => readOptionalText(getField(task, key), 'a value')
  const [name, branch, pull_request] = [read('componentName'), read('branch'), read('pullRequest')]
  const facts: TaskFacts = { status: 'SUCCESS' }
  if (name !== undefined) facts.name = cutText(name, MAX_TEXT)
  if (pull_request !== undefined) facts.pullRequest = { key: cutText(pull_request, MAX_TEXT) }
  else if (branch !== undefined) {
    facts.branch = { name: cutText(branch, MAX_TEXT), type: cutText(read('branchType') ?? '', MAX_TEXT) }
  }
  return facts
}

function readQualityGate(file: EvidenceFile): SonarResults['qualityGate'] {
  const project = expectObject(getField(readAnswer(file), 'projectStatus'), 'the status of the project')
  const status = getField(project, 'status')
  const conditions = listOptionalItems(getField(project, 'conditions'), 'the conditions')
  return {
    status: STATUSES.find(each => each === status.value) ?? failAt(status, `one of ${STATUSES.join(', ')}`),
    conditions: conditions.slice(0, MAX_CONDITIONS).map(readCondition),
  }
}

/** The server returns a list of errors if the token is wrong or the project is gone. */
function readAnswer(file: EvidenceFile): JsonNode {
  const root = expectObject(readJson(file), 'an answer of SonarQube')
  const errors = getField(root, 'errors')
  if (isMissing(errors)) return root
  const messages = listOptionalItems(errors, 'the errors').map(error => getField(error, 'msg').value)
  const reason = quote(messages.filter(message => typeof message === 'string').join('; '))
  throw new EvidenceProblem(
    file.name,
    errors.path,
    `expected an answer without errors; SonarQube says ${reason}.`,
  )
}

function readCondition(condition: JsonNode): SonarCondition {
  const read = (key: string) => readOptionalText(getField(condition, key), 'a value')
  const value = read('actualValue')
  return {
    metric: cutText(readText(getField(condition, 'metricKey'), 'the metric'), MAX_SHORT_TEXT),
    errorThreshold: cutText(read('errorThreshold') ?? '', MAX_SHORT_TEXT),
    operator: cutText(read('comparator') ?? '', MAX_SHORT_TEXT),
    ...(value === undefined ? {} : { value: cutText(value, MAX_SHORT_TEXT) }),
    status: cutText(readText(getField(condition, 'status'), 'the status'), MAX_SHORT_TEXT),
  }
}
