// `npm run test:thorough -- soak`: runs a fleet under mixed load, with faults switched on and off in turns. Fails if an
// acknowledged write is lost. `npm run test:thorough -- soak --minutes 1` is a short run. Everything stays on this machine.
import { makeBundler } from '../run/bundle.mjs'
import { prepare, root } from '../run/prepare.mjs'
import { runStep } from '../run/run-step.mjs'

prepare()
const program = await makeBundler()('bench/soak/soak.ts')
runStep('soak', process.execPath, [program, ...process.argv.slice(2)], { BENCH_ROOT: root })
