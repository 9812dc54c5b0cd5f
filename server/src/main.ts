// The entry of the program: gives it this process.
import { readFileSync } from 'node:fs'
import { runProgram } from './program.ts'

await runProgram({
  argv: process.argv.slice(2),
  env: process.env,
  readStdin: () => readFileSync(0, 'utf8'),
  writeOut: text => void process.stdout.write(text),
  writeError: text => void process.stderr.write(text),
  setExitCode: code => {
    process.exitCode = code
  },
  exit: code => process.exit(code),
  onSignal: (signal, stop) => void process.once(signal, stop),
})
