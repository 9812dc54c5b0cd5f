// `npm run conformance`: lists what can be compared with the existing client and third-party programs. Each
// comparison is skipped if it needs a missing program.
import { runCommand } from '../run/choose.mjs'

await runCommand('conformance', import.meta.dirname)
