// Snyk's own JSON: the output of `snyk test --json`, `snyk container test --json` and `snyk iac test --json`,
// for one project or several.

import {
  expectObject,
  failAt,
  getField,
  isMissing,
  type JsonNode,
  listItems,
  listOptionalItems,
  readOptionalBoolean,
  readOptionalText,
  readText,
} from './json-node.ts'
import { EvidenceProblem } from './problem.ts'
import { cutText } from './text.ts'

const MAX_REASON = 200
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const

interface SnykIssue {
  id: string
  title: string
  severity: (typeof SEVERITIES)[number]
}

export interface SnykProject {
  /** The scanned file. */
  target: string | undefined
  /** Without duplicates: Snyk lists a vulnerability once for every dependency path. */
  issues: SnykIssue[]
}

export function readSnykProjects(root: JsonNode): SnykProject[] {
  const tests = Array.isArray(root.value) ? listItems(root, 'projects') : [root]
  if (tests.length === 0) failAt(root, 'at least one project')
  return tests.flatMap(readTest)
}

/** A test of an image lists the system's packages, and each application in it as a project of its own. */
function readTest(test: JsonNode): SnykProject[] {
  expectObject(test, 'a project that Snyk tested')
  const applications = listOptionalItems(getField(test, 'applications'), 'the applications of the image')
  const projects = [test, ...applications].map(readProject)
  const ok = getField(test, 'ok')
  // Other tools write empty lists of vulnerabilities too.
  if (isMissing(ok)) failAt(ok, 'whether the test passed (true or false)')
  if (
    readOptionalBoolean(ok, 'whether the test passed') === false &&
    projects.every(({ issues }) => issues.length === 0)
  ) {
    failAt(ok, 'a vulnerability in a test that did not pass')
  }
  return projects
}

function readProject(project: JsonNode): SnykProject {
  expectObject(project, 'a project that Snyk tested')
  const error = readOptionalText(getField(project, 'error'), 'an error')
  if (error !== undefined) {
    const reason = cutText(error, MAX_REASON)
    throw new EvidenceProblem(project.file, project.path, `expected a finished scan; Snyk reports: ${reason}`)
  }
  const of_code = getField(project, 'infrastructureAsCodeIssues')
  const list = isMissing(of_code) ? getField(project, 'vulnerabilities') : of_code
  const issues = new Map<string, SnykIssue>()
  for (const item of listItems(list, 'the vulnerabilities, empty if there are none')) {
    const place = ['packageName', 'version', 'path', 'resource'].map(key => getField(item, key).value)
    const issue = readIssue(item)
    issues.set(JSON.stringify([issue.id, ...place]), issue)
  }
  return { target: readTarget(project), issues: [...issues.values()] }
}

function readIssue(item: JsonNode): SnykIssue {
  const severity = getField(item, 'severity')
  return {
    id: readText(getField(item, 'id'), 'the id of the vulnerability'),
    title: readOptionalText(getField(item, 'title'), 'the title') ?? '',
    severity:
      SEVERITIES.find(each => each === severity.value) ?? failAt(severity, `one of ${SEVERITIES.join(', ')}`),
  }
}

const readTarget = (project: JsonNode): string | undefined =>
  readOptionalText(getField(project, 'displayTargetFile'), 'the file') ??
  readOptionalText(getField(project, 'targetFile'), 'the file') ??
  readOptionalText(getField(project, 'path'), 'the path')
