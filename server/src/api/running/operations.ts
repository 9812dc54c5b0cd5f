// The operations about what runs where.
import type { Operation } from '../operation.ts'
import { getRunningMatrixCsv } from './csv.ts'
import { getRunningMatrix } from './get.ts'

export const runningOperations: readonly Operation[] = [getRunningMatrix, getRunningMatrixCsv]
