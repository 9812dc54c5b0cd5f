// The code of a worker thread: runs jq and JSON Schema on input from callers. Plain JavaScript, because the bundle
// and the tests load the same file. Nothing here trusts the program, the schema or the data: pool.ts kills the thread
// when it computes for too long, and the thread asks to be killed when it uses too much memory.
import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { loadJq } from 'jq-wasm'

const KIB = 1024
const MEMORY_PAGE_BYTES = 64 * KIB
const MAX_MEMORY_PAGES = (128 * KIB * KIB) / MEMORY_PAGE_BYTES
const MAX_OUTPUT_CHARACTERS = 64 * KIB
const MAX_REASON_CHARACTERS = 500
const MAX_ERRORS = 100
const MAX_ERROR_CHARACTERS = 64 * KIB
/** Longer than the part of a value that error messages show, so that they can tell that there is more. */
const MAX_DATA_CHARACTERS = 200
const MAX_VALIDATORS = 20

/** jq's exit code for a program that does not compile. */
const COMPILE_ERROR_CODE = 3

/** Reports progress to pool.ts. */
let port

// The jq runtime logs its own failure to the console; the port already reports it.
Object.assign(globalThis.console, { error: () => undefined, warn: () => undefined })
limitMemory()

/** jq could grow its memory to 256 MiB; exceeding our limit ends the thread. */
function limitMemory() {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function growWithinLimit(pages) {
    const next = this.buffer.byteLength / MEMORY_PAGE_BYTES + pages
    return next > MAX_MEMORY_PAGES ? giveUp('needs more than 128 MiB of memory') : grow.call(this, pages)
  }
}

/** An instance that failed cannot be used again, and its memory is only freed with the thread. */
function giveUp(reason) {
  port.postMessage({ gave_up: reason })
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const thread = readOwnThread()

/** The name of this thread in /proc, with which pool.ts reads its processor time; undefined on other systems. */
function readOwnThread() {
  try {
    return readlinkSync('/proc/thread-self')
  } catch {
    return undefined
  }
}

/** Runs the steps one after the other and reports the begin and end of each. */
function runSteps(steps, runStep) {
  const outcomes = steps.map(step => {
    port.postMessage({ began: { thread } })
    const outcome = runStep(step)
    port.postMessage({ finished: outcome })
    return outcome
  })
  port.close()
  return outcomes
}

let loadingJq

export async function run({ programs, input, port: taskPort }) {
  port = taskPort
  loadingJq ??= createJq()
  const jq = await loadingJq
  return runSteps(programs, program => toOutcome(evaluate(jq, program, input)))
}

/** Prepares a new thread for the next task. */
export async function load() {
  loadingJq ??= createJq()
  await loadingJq
}

/** Without input, jq compiles the program but does not run it. */
export async function compile({ programs, port: taskPort }) {
  port = taskPort
  loadingJq ??= createJq()
  const jq = await loadingJq
  return runSteps(programs, program => {
    const { exitCode, stderr } = evaluate(jq, program, '')
    return exitCode === 0 ? null : extractReason(stderr)
  })
}

async function createJq() {
  const binary = await readFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm')))
  const module = await WebAssembly.compile(binary)
  const jq = await loadJq({
    instantiateWasm: async (imports, onSuccess) => {
      onSuccess(await instantiate(module, imports), module)
    },
  })
  const { stdout } = jq.raw('null', '[env, $ENV]', ['-c'])
  if (stdout !== '[{},{}]') throw new Error(`jq can see the environment: ${stdout}`)
  return jq
}

/** The runtime invents an environment (a user, a home folder), which programs must not see. */
async function instantiate(module, imports) {
  let memory
  const replacements = {
    _environ_get: () => 0,
    _environ_sizes_get: (count, bytes) => {
      const view = new DataView(memory.buffer)
      view.setUint32(count, 0, true)
      view.setUint32(bytes, 0, true)
      return 0
    },
  }
  const withoutEnvironment = Object.fromEntries(
    Object.entries(imports).map(([space, functions]) => [
      space,
      Object.fromEntries(
        Object.entries(functions).map(([name, given]) => [name, replacements[given.name] ?? given]),
      ),
    ]),
  )
  const instance = await WebAssembly.instantiate(module, withoutEnvironment)
  memory = Object.values(instance.exports).find(value => value instanceof WebAssembly.Memory)
  return instance
}

function evaluate(jq, program, input) {
  try {
    return jq.raw(input, program, ['-c'])
  } catch (error) {
    // The runtime's message (`unreachable`, `memory access out of bounds`) would not help the author.
    return giveUp(error instanceof RangeError ? 'nests too deeply' : 'needs more memory than allowed')
  }
}

function toOutcome({ stdout, stderr, exitCode }) {
  if (stdout.length > MAX_OUTPUT_CHARACTERS) return giveUp('yields more than 64 KiB')
  // The exit code also shows an error after the first value. `debug` writes to stderr too, but is not an error.
  if (exitCode !== 0 || stderr.startsWith('jq: error')) {
    const problem = exitCode === COMPILE_ERROR_CODE ? 'does not compile' : 'fails'
    return { ok: false, reason: `${problem}: ${extractReason(stderr)}` }
  }
  const values = stdout.split('\n').filter(line => line !== '')
  return values.length === 0
    ? { ok: false, reason: 'yields nothing' }
    : { ok: true, values: values.map(line => JSON.parse(line)) }
}

/** The first line of jq's message, without the parts that are the same for every program. */
function extractReason(stderr) {
  const [first = ''] = stderr.split('\n')
  const reason = first
    .replace(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?: /, '')
    .replace(' at <top-level>, line', ' at line')
    .replace(/:$/, '')
  return reason.slice(0, MAX_REASON_CHARACTERS) || 'ended with an error'
}

/** By the text of the schema; the last one was used most recently. */
const validators = new Map()

export async function checkSchema({ schema, port: taskPort }) {
  port = taskPort
  const libraries = await loadLibraries()
  const [outcome] = runSteps([schema], text => {
    try {
      const validate = compileSchema(libraries, JSON.parse(text))
      // It would return a promise, which counts as true.
      return validate.$async ? '$async is not supported' : null
    } catch (error) {
      return String(error.message).slice(0, MAX_REASON_CHARACTERS)
    }
  })
  return outcome
}

export async function validate({ schema, data, port: taskPort }) {
  port = taskPort
  const libraries = await loadLibraries()
  const [outcome] = runSteps([schema], text => {
    const check = validators.get(text) ?? compileSchema(libraries, JSON.parse(text))
    cacheValidator(text, check)
    const value = JSON.parse(data)
    try {
      return check(value) ? null : toPortableErrors(check.errors ?? [])
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [makeError('cannot be checked: the schema refers to itself endlessly')]
    }
  })
  return outcome
}

let libraries

function loadLibraries() {
  libraries ??= Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv/dist/2019.js'),
    import('ajv'),
    import('ajv/dist/refs/json-schema-draft-06.json', { with: { type: 'json' } }),
    import('re2js'),
  ]).then(([{ Ajv2020 }, { Ajv2019 }, { Ajv }, draft6, { RE2JS }]) => {
    const loaded = { Ajv2020, Ajv2019, Ajv, draft6: draft6.default, RE2JS }
    // The first schema of a thread takes ten times as long as the second, so compile one before the clock starts.
    compileSchema(loaded, { type: 'object', properties: { warm: { type: 'string', pattern: '^.' } } })
    return loaded
  })
  return libraries
}

/** Every schema gets its own Ajv instance: a shared one would let a schema refer to another org's schema. */
function compileSchema({ Ajv2020, Ajv2019, Ajv, draft6, RE2JS }, schema) {
  // Ajv caches patterns by their text, so their objects need a toString that returns it; those of RE2JS have one.
  const regExp = Object.assign(pattern => RE2JS.compile(pattern), { code: 'RE2JS' })
  const options = {
    allErrors: true,
    verbose: true,
    strict: false,
    // In 2020-12 a format is only an annotation, and a schema must not be stricter under an older draft.
    validateFormats: false,
    logger: false,
    code: { regExp },
  }
  const dialect = typeof schema?.$schema === 'string' ? schema.$schema.replace(/#$/, '') : ''
  if (/\/draft\/2019-09\/schema$/.test(dialect)) return new Ajv2019(options).compile(schema)
  if (/\/draft-0[67]\/schema$/.test(dialect)) {
    return new Ajv(options).addMetaSchema(draft6).compile(schema)
  }
  return new Ajv2020(options).compile(schema)
}

function cacheValidator(text, check) {
  validators.delete(text)
  validators.set(text, check)
  if (validators.size > MAX_VALIDATORS) validators.delete(validators.keys().next().value)
}

/** Reduces Ajv's errors to what error messages need, because each has all of the data and the schema. */
function toPortableErrors(errors) {
  const portableErrors = []
  let characters = 0
  for (const error of errors.slice(0, MAX_ERRORS)) {
    const { keyword, instancePath, schemaPath, params, message, propertyName } = error
    const portableError = {
      keyword,
      instancePath,
      schemaPath,
      params,
      message,
      propertyName,
      data: pickShownData(error),
    }
    characters += JSON.stringify(portableError).length
    if (characters > MAX_ERROR_CHARACTERS) break
    portableErrors.push(portableError)
  }
  return portableErrors.length === 0 ? [makeError('does not fit the schema')] : portableErrors
}

function pickShownData({ params, data }) {
  const extra = params.additionalProperty
  return typeof extra === 'string' ? { [extra]: truncate(data[extra]) } : truncate(data)
}

function truncate(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MAX_DATA_CHARACTERS ? text.slice(0, MAX_DATA_CHARACTERS) : value
}

function makeError(message) {
  return { keyword: 'schema', instancePath: '', schemaPath: '', params: {}, message }
}
