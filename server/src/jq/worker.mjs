// What runs in a worker thread: jq and JSON Schema on what callers sent. Plain JavaScript, because the bundle and the
// tests start the same file. Nothing here trusts the program, the schema or the data: pool.ts kills the thread when
// it computes for too long, and the thread asks to be killed when it has grown too large.
import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { loadJq } from 'jq-wasm'

const KIB = 1024
const MEMORY_PAGE_BYTES = 64 * KIB
const MOST_MEMORY_PAGES = (128 * KIB * KIB) / MEMORY_PAGE_BYTES
const MOST_OUTPUT_CHARACTERS = 64 * KIB
const MOST_REASON_CHARACTERS = 500
const MOST_ERRORS = 100
const MOST_ERROR_CHARACTERS = 64 * KIB
/** Longer than what sentences show of a value, so that they still see that there is more. */
const MOST_DATA_SHOWN = 200
const VALIDATORS_KEPT = 20

/** jq exits with this when a program does not compile. */
const DOES_NOT_COMPILE = 3

/** Where the thread says how far it is. */
let port

// The runtime of jq reports its own end to the console; the caller hears of it through the port.
Object.assign(globalThis.console, { error: () => undefined, warn: () => undefined })
capMemory()

/** jq can grow its memory to 256 MiB by itself; what lies beyond the cap ends the thread. */
function capMemory() {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function growWithinCap(pages) {
    const next = this.buffer.byteLength / MEMORY_PAGE_BYTES + pages
    return next > MOST_MEMORY_PAGES ? giveUp('needs more than 128 MiB of memory') : grow.call(this, pages)
  }
}

/** An instance that failed halfway is in no state to be used again, and its memory goes only with the thread. */
function giveUp(reason) {
  port.postMessage({ gave_up: reason })
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const thread = readOwnThread()

/** What Linux calls this thread, for pool.ts to ask how long it has been computing. Elsewhere there is no such name. */
function readOwnThread() {
  try {
    return readlinkSync('/proc/thread-self')
  } catch {
    return undefined
  }
}

/** Takes the steps one after the other, telling the port before and after each. */
function runSteps(steps, take) {
  const outcomes = steps.map(one => {
    port.postMessage({ began: { thread } })
    const outcome = take(one)
    port.postMessage({ finished: outcome })
    return outcome
  })
  port.close()
  return outcomes
}

let loading

export async function run({ programs, input, port: given }) {
  port = given
  loading ??= makeJq()
  const jq = await loading
  return runSteps(programs, program => outcomeOf(evaluate(jq, program, input)))
}

/** Makes a new thread ready for whoever comes next. */
export async function load() {
  loading ??= makeJq()
  await loading
}

/** Without an input jq compiles the program and runs it not even once. */
export async function compile({ programs, port: given }) {
  port = given
  loading ??= makeJq()
  const jq = await loading
  return runSteps(programs, program => {
    const { exitCode, stderr } = evaluate(jq, program, '')
    return exitCode === 0 ? null : reasonIn(stderr)
  })
}

async function makeJq() {
  const binary = await readFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm')))
  const module = await WebAssembly.compile(binary)
  const jq = await loadJq({
    instantiateWasm: async (imports, onSuccess) => {
      onSuccess(await instantiate(module, imports), module)
    },
  })
  const { stdout } = jq.raw('null', '[env, $ENV]', ['-c'])
  if (stdout !== '[{},{}]') throw new Error(`jq sees an environment: ${stdout}`)
  return jq
}

/** The runtime makes up an environment of its own (a user, a home); programs are to see none. */
async function instantiate(module, imports) {
  let memory
  const replaced = {
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
        Object.entries(functions).map(([name, given]) => [name, replaced[given.name] ?? given]),
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
    // The message is the runtime's (`unreachable`, `memory access out of bounds`) and means nothing to authors.
    return giveUp(error instanceof RangeError ? 'nests too deeply' : 'needs more memory than it may have')
  }
}

function outcomeOf({ stdout, stderr, exitCode }) {
  if (stdout.length > MOST_OUTPUT_CHARACTERS) return giveUp('yields more than 64 KiB')
  // The exit code tells of every error, also of one after a first value; `debug` writes there too and is none.
  if (exitCode !== 0 || stderr.startsWith('jq: error')) {
    const why = exitCode === DOES_NOT_COMPILE ? 'does not compile' : 'fails'
    return { ok: false, reason: `${why}: ${reasonIn(stderr)}` }
  }
  const values = stdout.split('\n').filter(line => line !== '')
  return values.length === 0
    ? { ok: false, reason: 'yields nothing' }
    : { ok: true, values: values.map(line => JSON.parse(line)) }
}

/** jq's first sentence, without what is the same for every program. */
function reasonIn(stderr) {
  const [first = ''] = stderr.split('\n')
  const reason = first
    .replace(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?: /, '')
    .replace(' at <top-level>, line', ' at line')
    .replace(/:$/, '')
  return reason.slice(0, MOST_REASON_CHARACTERS) || 'ended with an error'
}

/** By the text of the schema, the one used last at the end. */
const validators = new Map()

export async function checkSchema({ schema, port: given }) {
  port = given
  const libraries = await loadLibraries()
  const [outcome] = runSteps([schema], text => {
    try {
      const validate = compileSchema(libraries, JSON.parse(text))
      // It would answer a promise, and a promise counts as yes.
      return validate.$async ? '$async is not supported' : null
    } catch (error) {
      return String(error.message).slice(0, MOST_REASON_CHARACTERS)
    }
  })
  return outcome
}

export async function validate({ schema, data, port: given }) {
  port = given
  const libraries = await loadLibraries()
  const [outcome] = runSteps([schema], text => {
    const check = validators.get(text) ?? compileSchema(libraries, JSON.parse(text))
    keepValidator(text, check)
    const value = JSON.parse(data)
    try {
      return check(value) ? null : portable(check.errors ?? [])
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [complaint('cannot be checked: the schema refers to itself without end')]
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
    // The first schema of a thread takes ten times as long as the second: that is not held against whoever comes first.
    compileSchema(loaded, { type: 'object', properties: { warm: { type: 'string', pattern: '^.' } } })
    return loaded
  })
  return libraries
}

/** A validator of its own for every schema: one that is shared would let a schema refer to another org's. */
function compileSchema({ Ajv2020, Ajv2019, Ajv, draft6, RE2JS }, schema) {
  // Ajv caches patterns by their text, so what is handed to it must be able to say its text; RE2JS is.
  const regExp = Object.assign(pattern => RE2JS.compile(pattern), { code: 'RE2JS' })
  const options = {
    allErrors: true,
    verbose: true,
    strict: false,
    // In 2020-12 a format is a remark, and the same schema must not mean more under an older draft.
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

function keepValidator(text, check) {
  validators.delete(text)
  validators.set(text, check)
  if (validators.size > VALIDATORS_KEPT) validators.delete(validators.keys().next().value)
}

/** What sentences need of Ajv's errors, within a size: each of them carries the data and the schema whole. */
function portable(errors) {
  const kept = []
  let characters = 0
  for (const error of errors.slice(0, MOST_ERRORS)) {
    const { keyword, instancePath, schemaPath, params, message, propertyName } = error
    const small = { keyword, instancePath, schemaPath, params, message, propertyName, data: shownPart(error) }
    characters += JSON.stringify(small).length
    if (characters > MOST_ERROR_CHARACTERS) break
    kept.push(small)
  }
  return kept.length === 0 ? [complaint('does not fit the schema')] : kept
}

function shownPart({ params, data }) {
  const extra = params.additionalProperty
  return typeof extra === 'string' ? { [extra]: glance(data[extra]) } : glance(data)
}

function glance(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MOST_DATA_SHOWN ? text.slice(0, MOST_DATA_SHOWN) : value
}

function complaint(message) {
  return { keyword: 'schema', instancePath: '', schemaPath: '', params: {}, message }
}
