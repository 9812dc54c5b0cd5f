// Runs the chapters. A step is a command line with its expected exit code and output:
//   run     the command line without the program; <name> is replaced by a variable, quotes keep spaces together
//   fails   a text or pattern in the error output; the exit code is then 1, and 0 without this key
//   exit    the exit code if it is another one
//   says    texts and patterns that the output must contain; `silent` are those that it must not contain
//   json    the expected shape of the output as JSON; see shape.mjs
//   keep    variables for later steps: name to a function of the JSON output, or of the text if it is not JSON
//   env     environment variables for this step only; `input` goes to standard input
import { spawn } from 'node:child_process'
import { findMismatches } from './shape.mjs'

const STEP_TIMEOUT_MS = 60_000
const MAX_SHOWN_CHARACTERS = 3000

/** `chooseProgram` returns the program that runs a step: its command line, its environment, and how it is listed. */
export async function runChapters({ chapters, folder, variables, chooseProgram }) {
  const known = { ...variables }
  let passed = 0
  let failed = 0
  for (const { title, steps } of chapters) {
    console.log(`— ${title}`)
    for (const step of steps) {
      const program = chooseProgram(step)
      const problems = program === undefined ? [] : await runStep({ ...program, folder, known }, step)
      if (program !== undefined && problems.length === 0) passed += 1
      if (problems.length > 0) failed += 1
      const word = program === undefined ? 'none' : problems.length === 0 ? 'ok  ' : 'FAIL'
      console.log(`${word} ${program?.name ?? '-'} ${step.run}`)
      for (const problem of problems) console.log(problem.replaceAll(/^/gm, '       '))
    }
  }
  return { passed, failed }
}

async function runStep({ command, env, folder, known }, step) {
  const fill = text => fillVariables(text, known)
  const stepEnv = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)])
  const [binary, ...first] = command
  const done = await runProgram(binary, [...first, ...splitLine(step.run).map(fill)], {
    cwd: folder,
    env: { ...env, ...Object.fromEntries(stepEnv) },
    input: step.input ?? '',
  })
  const output = `${done.stdout}${done.stderr}`
  const problems = [
    ...findExitProblems(step, done.code),
    ...findTextProblems(step, output, fill),
    ...findJsonProblems(step, done.stdout, fill),
  ]
  if (problems.length > 0) return [...problems, `its output: ${shorten(output.trim())}`]
  for (const [name, pick] of Object.entries(step.keep ?? {}))
    known[name] = pick(readJson(done.stdout) ?? output)
  return []
}

function findExitProblems(step, code) {
  const expected = step.exit ?? (step.fails === undefined ? 0 : 1)
  return code === expected ? [] : [`expected exit code ${expected}, found ${code}`]
}

function findTextProblems(step, output, fill) {
  const isPrinted = expectedText =>
    typeof expectedText === 'string' ? output.includes(fill(expectedText)) : expectedText.test(output)
  const expectedTexts = [...toList(step.says), ...toList(step.fails)]
  const missing = expectedTexts
    .filter(expectedText => !isPrinted(expectedText))
    .map(expectedText => `the output lacks: ${expectedText}`)
  return [
    ...missing,
    ...toList(step.silent)
      .filter(isPrinted)
      .map(forbidden => `the output contains: ${forbidden}`),
  ]
}

function findJsonProblems(step, stdout, fill) {
  if (step.json === undefined) return []
  const output = readJson(stdout)
  if (output === undefined) return ['the output is not JSON']
  return findMismatches(output, step.json, fill)
}

function readJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    // Most commands print a sentence or a table.
    return undefined
  }
}

const shorten = text =>
  text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text
const toList = one => (one === undefined ? [] : Array.isArray(one) ? one : [one])

/** Throws for an unknown variable, so that a typo never reaches the client. */
function fillVariables(text, known) {
  return text.replaceAll(/<([a-z_\d]+)>/g, (_, name) => {
    if (!(name in known)) throw new Error(`Unknown variable <${name}>`)
    return known[name]
  })
}

function splitLine(line) {
  const parts = line.match(/(?:'[^']*'|[^\s'])+/g) ?? []
  return parts.map(part => part.replaceAll("'", ''))
}

function runProgram(binary, args, { cwd, env, input }) {
  const child = spawn(binary, args, { cwd, env, stdio: 'pipe', timeout: STEP_TIMEOUT_MS })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', text => {
      output[name] += text
    })
  }
  // A client may exit without reading its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ code, ...output }))
  })
}
