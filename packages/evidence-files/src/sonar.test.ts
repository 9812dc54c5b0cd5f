import { describe, expect, it } from 'vitest'
import { changeFixture, expectProblem, openText, readFixture } from './fixtures.testing.ts'
import { readReportTask, readSonar } from './index.ts'

const report_task = readFixture('report-task.txt')
const quality_gate = readFixture('sonar-quality-gate.json')
const task = readFixture('sonar-task.json')

const CONDITIONS = [
  { metric: 'new_coverage', errorThreshold: '80', operator: 'LT', value: '71.4', status: 'ERROR' },
  { metric: 'new_violations', errorThreshold: '0', operator: 'GT', status: 'OK' },
]

describe('SonarQube', () => {
  it('is read from the report, the task and the quality gate', () => {
    const analysis = { date: '2026-03-03T10:15:30+0000', revision: '6a3f1d0' }
    expect(readSonar({ report_task, quality_gate, task, analysis })).toEqual({
      sonar_results: {
        serverUrl: 'https://sonar.acme.example',
        taskId: 'AZcB3kq1',
        status: 'SUCCESS',
        analysedAt: '2026-03-03T10:15:30+0000',
        revision: '6a3f1d0',
        project: {
          key: 'backend',
          name: 'Backend',
          url: 'https://sonar.acme.example/dashboard?id=backend&branch=main',
        },
        branch: { name: 'main', type: 'LONG' },
        qualityGate: { status: 'ERROR', conditions: CONDITIONS },
      },
    })
  })

  it('has no status and no branch without the task', () => {
    const { sonar_results } = readSonar({ report_task, quality_gate })
    expect(Object.keys(sonar_results)).toEqual(['serverUrl', 'taskId', 'project', 'qualityGate'])
  })

  it('names the pull request instead of the branch', () => {
    const pull = changeFixture('sonar-task.json', '"branchType": "LONG"', '"pullRequest": "7"')
    const { sonar_results } = readSonar({ report_task, quality_gate, task: pull })
    expect(sonar_results.pullRequest).toEqual({ key: '7' })
    expect(sonar_results).not.toHaveProperty('branch')
  })

  it('reads a report with Windows line ends and comments', () => {
    const text =
      '# x\r\nprojectKey=a=b\r\nserverUrl=https://s.example\r\nceTaskId=1\r\nceTaskUrl=https://s.example/t\r\n\r\n'
    expect(readReportTask(openText('report-task.txt', text))).toMatchObject({
      project_key: 'a=b',
      dashboard_url: '',
    })
  })
})

describe('unreadable SonarQube files', () => {
  it.each([
    [
      'a report without a task',
      changeFixture('report-task.txt', 'ceTaskId=', 'task='),
      "report-task.txt: expected a line 'ceTaskId=…', as the Sonar scanner writes it.",
    ],
    [
      'another file',
      openText('a.txt', 'projectKey=x\nhello\n'),
      "a.txt, line 2: expected a name, '=' and a value, found 'hello'.",
    ],
    [
      'a large file',
      openText('a.txt', 'x=y\n'.repeat(20_000)),
      'a.txt: expected a report-task.txt of at most 65536 bytes.',
    ],
  ])('is refused: %s', (_, report, sentence) => {
    expectProblem(() => readSonar({ report_task: report, quality_gate }), sentence)
  })

  it.each([
    [
      '"status": "ERROR",\n    "conditions"',
      '"status": "RED",\n    "conditions"',
      "$.projectStatus.status: expected one of OK, WARN, ERROR, NONE, found 'RED'.",
    ],
    [
      '"projectStatus"',
      '"status"',
      '$.projectStatus: expected the status of the project (an object), found nothing.',
    ],
    [
      '"metricKey": "new_coverage"',
      '"metric": "x"',
      '$.projectStatus.conditions[0].metricKey: expected the metric (text), found nothing.',
    ],
    [
      '"projectStatus"',
      '"errors": [{"msg": "Insufficient privileges"}], "x"',
      "$.errors: expected an answer without errors; SonarQube says 'Insufficient privileges'.",
    ],
  ])('is refused with the quality gate changed from %s to %s', (find, replace, sentence) => {
    const changed = changeFixture('sonar-quality-gate.json', find, replace)
    expectProblem(
      () => readSonar({ report_task, quality_gate: changed }),
      `sonar-quality-gate.json, ${sentence}`,
    )
  })

  it.each([
    [
      '"status": "SUCCESS"',
      '"status": "PENDING"',
      "$.task.status: expected the status 'SUCCESS' (another one means that the analysis has not finished or has failed), found 'PENDING'.",
    ],
    [
      '"id": "AZcB3kq1"',
      '"id": "other"',
      "$.task.id: expected the task 'AZcB3kq1' of report-task.txt, found 'other'.",
    ],
    ['"task"', '"tasks"', '$.task: expected the task (an object), found nothing.'],
  ])('is refused with the task changed from %s to %s', (find, replace, sentence) => {
    const changed = changeFixture('sonar-task.json', find, replace)
    expectProblem(
      () => readSonar({ report_task, quality_gate, task: changed }),
      `sonar-task.json, ${sentence}`,
    )
  })
})
