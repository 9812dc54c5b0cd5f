// An image in a folder with the OCI layout, as `docker buildx build --output type=oci,tar=false` and skopeo write it.
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bytes, showBytes, toBuffer, toBytes } from './byte-paths.ts'
import { hashFile } from './hash-file.ts'
import { type FileStore, type LayoutImage, type LayoutOptions, readLayout } from './image-store.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'
import { checkRoot } from './tree.ts'

/** Needs no daemon and no registry. Verifies every blob of the image. */
export async function readOciLayout(folder: string, options: LayoutOptions = {}): Promise<LayoutImage> {
  const store = makeFolderStore(await checkRoot(folder, true))
  if (!(await store.has('oci-layout')) || !(await store.has('index.json'))) {
    const message = `${store.shown} has no oci-layout and index.json, so it is no OCI layout. Name the folder that has them.`
    throw new FingerprintProblem('invalid', message)
  }
  return readLayout(store, options)
}

function makeFolderStore(folder: Bytes): FileStore {
  const locate = (name: string) => join(folder, name) as Bytes
  return {
    shown: showBytes(folder),
    hash: name => hashFile(locate(name), { follow: false }),
    read: (name, limit) => readSmallFile(locate(name), limit),
    async has(name) {
      try {
        return (await lstat(toBuffer(locate(name)))).isFile()
      } catch {
        // Missing or not visible: both are the same to the reader of a layout.
        return false
      }
    },
  }
}

/** Reads a whole file of at most `limit` bytes. */
async function readSmallFile(path: Bytes, limit: number): Promise<Buffer> {
  try {
    const file = await open(toBuffer(path))
    try {
      const stats = await file.stat()
      if (!stats.isFile() || stats.size > limit) {
        const message = `${showBytes(path)} must be a regular file of at most ${limit} bytes.`
        throw new FingerprintProblem('invalid', message)
      }
      return await file.readFile()
    } finally {
      await file.close()
    }
  } catch (error) {
    throw explainFileError(error, path)
  }
}

export async function readSmallText(path: string, limit: number): Promise<string> {
  return (await readSmallFile(toBytes(path), limit)).toString('utf8')
}
