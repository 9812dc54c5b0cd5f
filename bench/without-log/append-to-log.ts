// Replaces server/src/events/append-to-log.ts in a service without a log, for bench/log-cost.bench.ts.
import type { AppendToLog } from '../../server/src/db/database.ts'

export const appendToLog: AppendToLog = async () => ({ steps: [], onCommitted: () => {} })
