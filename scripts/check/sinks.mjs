// `npm run check -- sinks`: sends audit events of a new service to third-party receivers. Arguments choose: `-- sinks
// collector`.
import { prepare } from '../run/prepare.mjs'

const CHECKS = ['rsyslog', 'collector']
const chosen = process.argv.slice(2)

prepare()
for (const check of CHECKS.filter(name => chosen.length === 0 || chosen.includes(name)))
  await import(`./sinks/${check}.mjs`)
