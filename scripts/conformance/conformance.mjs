// `npm run conformance`: lists what can be compared with the existing client and with what others have written. Each is skipped
// if it needs a program that is missing.
import { runCommand } from '../run/choose.mjs'

await runCommand('conformance', import.meta.dirname)
