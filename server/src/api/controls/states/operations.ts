// The operations on the states of controls in environments.
import type { Operation } from '../../operation.ts'
import { getControlState } from './get.ts'
import { getControlStateHistory } from './history.ts'
import { listControlStates } from './list.ts'

export const controlStateOperations: readonly Operation[] = [
  listControlStates,
  getControlState,
  getControlStateHistory,
]
