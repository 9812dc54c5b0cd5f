// The types of run-image.mjs.
import type { ChildProcess, SpawnSyncReturns } from 'node:child_process'
import type { ImageSettings } from './image.mjs'

export interface Container {
  process: ChildProcess
  /** The folder mounted as /data in the container. */
  data: string
  exec(command: string[]): SpawnSyncReturns<string>
}
export function unpackImage(file: string, arch: string, folder: string): ImageSettings
export function startContainer(
  folder: string,
  name: string,
  options: { settings: ImageSettings; env?: string[]; args?: string[] },
): Container
