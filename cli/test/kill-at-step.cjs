// Loaded before the program: kills it without warning right before its n-th change of the file system or, with `after`,
// right after it. `KILL_AT` is the number; without it, the number of changes is printed at the end.
const files = require('node:fs/promises')
const { writeSync } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')

const CHANGES = ['link', 'mkdir', 'open', 'rename', 'rm', 'writeFile', 'utimes']
const [at, moment] = (process.env.KILL_AT ?? '0 before').split(' ')
let count = 0

// The service's clock, which only tests move.
const now_ms = Number(process.env.NOW_MS)
Date.now = () => now_ms

const die = () => process.kill(process.pid, 'SIGKILL')

for (const name of CHANGES) {
  const original = files[name]
  files[name] = async (...args) => {
    count += 1
    const isIt = count === Number(at)
    if (isIt && moment === 'before') die()
    const result = await original(...args)
    if (isIt) die()
    return result
  }
}
syncBuiltinESMExports()
process.on('exit', () => writeSync(2, `changes: ${count}\n`))
