// Runs the story. A step is a command line, what it must exit with and what it must say:
//   run     the command line after `kosli`; <word> stands for something known or kept, quotes keep blanks together
//   fails   a text or pattern that the error has; the exit code is then 1. Without it the exit code is 0
//   says    texts and patterns that the output has; `silent` are those that it must not have
//   json    the shape that the output, read as JSON, must have; see shape.mjs
//   keep    words to remember for later steps: name to a function of the JSON, or of the text where it is none
//   env     variables for this step only; `input` is typed in
import { spawn } from 'node:child_process'
import { findMismatches } from './shape.mjs'

const STEP_WITHIN_MS = 60_000
const SHOWN_CHARACTERS = 3000

export async function runChapters({ binary, chapters, folder, env, words }) {
  const kept = { ...words }
  let passed = 0
  let failed = 0
  for (const { title, steps } of chapters) {
    console.log(`— ${title}`)
    for (const step of steps) {
      const problems = await runStep({ binary, folder, env, kept }, step)
      console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} kosli ${step.run}`)
      for (const problem of problems) console.log(problem.replaceAll(/^/gm, '       '))
      if (problems.length === 0) passed += 1
      else failed += 1
    }
  }
  return { passed, failed }
}

async function runStep({ binary, folder, env, kept }, step) {
  const fill = text => fillWords(text, kept)
  const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)])
  const done = await runProgram(binary, splitLine(step.run).map(fill), {
    cwd: folder,
    env: { ...env, ...Object.fromEntries(own) },
    input: step.input ?? '',
  })
  const output = `${done.stdout}${done.stderr}`
  const problems = [
    ...findExitProblems(step, done.code),
    ...findTextProblems(step, output, fill),
    ...findJsonProblems(step, done.stdout, fill),
  ]
  if (problems.length > 0) return [...problems, `it said: ${shorten(output.trim())}`]
  for (const [word, pick] of Object.entries(step.keep ?? {}))
    kept[word] = pick(readJson(done.stdout) ?? output)
  return []
}

function findExitProblems(step, code) {
  const expected = step.fails === undefined ? 0 : 1
  return code === expected ? [] : [`expected exit code ${expected}, found ${code}`]
}

function findTextProblems(step, output, fill) {
  const isPrinted = expectedText =>
    typeof expectedText === 'string' ? output.includes(fill(expectedText)) : expectedText.test(output)
  const expectedTexts = [...toList(step.says), ...toList(step.fails)]
  const missing = expectedTexts
    .filter(expectedText => !isPrinted(expectedText))
    .map(expectedText => `it does not say: ${expectedText}`)
  return [
    ...missing,
    ...toList(step.silent)
      .filter(isPrinted)
      .map(forbidden => `it says: ${forbidden}`),
  ]
}

function findJsonProblems(step, stdout, fill) {
  if (step.json === undefined) return []
  const answer = readJson(stdout)
  if (answer === undefined) return ['the output is no JSON']
  return findMismatches(answer, step.json, fill)
}

function readJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    // Most commands answer with a sentence or a table.
    return undefined
  }
}

const shorten = text => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
const toList = one => (one === undefined ? [] : Array.isArray(one) ? one : [one])

/** A misspelt word must not reach the client as it is. */
function fillWords(text, kept) {
  return text.replaceAll(/<([a-z_\d]+)>/g, (_, word) => {
    if (!(word in kept)) throw new Error(`The story knows no <${word}>`)
    return kept[word]
  })
}

function splitLine(line) {
  const parts = line.match(/(?:'[^']*'|[^\s'])+/g) ?? []
  return parts.map(part => part.replaceAll("'", ''))
}

function runProgram(binary, args, { cwd, env, input }) {
  const child = spawn(binary, args, { cwd, env, stdio: 'pipe', timeout: STEP_WITHIN_MS })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', text => {
      output[name] += text
    })
  }
  // A client that ends without reading what is typed in is not a fault.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ code, ...output }))
  })
}
