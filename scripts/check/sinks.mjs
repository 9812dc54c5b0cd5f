// `npm run check:sinks`: receivers that others have written get what a new service sends. Arguments choose: `-- collector`.
import { prepare } from '../run/prepare.mjs'

const CHECKS = ['rsyslog', 'collector']
const chosen = process.argv.slice(2)

prepare()
for (const check of CHECKS.filter(name => chosen.length === 0 || chosen.includes(name)))
  await import(`./sinks/${check}.mjs`)
