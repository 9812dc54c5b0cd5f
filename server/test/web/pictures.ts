// Pictures of pages, compared by the average colour of blocks: letters that another Chromium draws a little differently do
// not matter, a missing panel, a broken grid or a lost colour does. The browser itself decodes and shrinks them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { root } from '../../../scripts/run/prepare.mjs'

const FOLDER = join(root, 'server', 'test', 'web', 'pictures')
/** Pictures are kept at half the size: small, and still readable. */
const SHRINK = 2
/** In pixels of the kept picture: about the height of a line of text. */
const BLOCK = 8
/** Out of 255. The colours of states differ by more, also from the page. */
const MAX_DIFFERENCE = 18
/** As a share of all blocks. */
const MAX_SHARE = 0.006

const findPicture = (name: string) => join(FOLDER, `${name}.png`)
export const hasPicture = (name: string) => existsSync(findPicture(name))

/** The window of a page as a small PNG. `tool` is an empty page, because the policy of the app forbids such code. */
export async function takePicture(page: Page, tool: Page): Promise<Buffer> {
  await page.evaluate('document.fonts.ready')
  const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const shrunk = await tool.evaluate<string>(`(async () => {
    ${DRAW}
    const canvas = await draw(${JSON.stringify(taken.toString('base64'))}, ${SHRINK})
    return canvas.toDataURL('image/png').split(',')[1]
  })()`)
  return Buffer.from(shrunk, 'base64')
}

export function keepPicture(name: string, picture: Buffer): void {
  mkdirSync(dirname(findPicture(name)), { recursive: true })
  writeFileSync(findPicture(name), picture)
}

export interface Comparison {
  isAlike: boolean
  /** For a person: how many blocks differ, and where the first ones are. */
  summary: string
}

export async function comparePictures(tool: Page, kept: Buffer, taken: Buffer): Promise<Comparison> {
  const { size, blocks, different } = await tool.evaluate<Found>(`(async () => {
    ${DRAW}
    ${AVERAGE}
    const [kept, taken] = await Promise.all([
      draw(${JSON.stringify(kept.toString('base64'))}, 1), draw(${JSON.stringify(taken.toString('base64'))}, 1)])
    const [a, b] = [average(kept, ${BLOCK}), average(taken, ${BLOCK})]
    const different = a.filter((block, at) =>
      block.colour.some((value, channel) =>
        Math.abs(value - (b[at]?.colour[channel] ?? 0)) > ${MAX_DIFFERENCE}))
    const size = [kept, taken].map(({ width, height }) => width + '×' + height)
    return { size, blocks: a.length, different: different.map(({ x, y }) => [x * ${SHRINK}, y * ${SHRINK}]) }
  })()`)
  const share = different.length / blocks
  const places = different.slice(0, 5).map(([x, y]) => `${x},${y}`)
  return {
    isAlike: size[0] === size[1] && share <= MAX_SHARE,
    summary: `${different.length} of ${blocks} blocks differ, at ${places.join(' ')}; sizes ${size.join(' and ')}`,
  }
}

interface Found {
  size: [string, string]
  blocks: number
  different: [number, number][]
}

/** Draws a PNG on a canvas, smaller if `by` is above 1. */
const DRAW = `const draw = async (png, by) => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob())
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(image.width / by)
  canvas.height = Math.round(image.height / by)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas
}`

/** The average colour of each block of a canvas. */
const AVERAGE = `const average = (canvas, side) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const blocks = []
  for (let y = 0; y < canvas.height; y += side)
    for (let x = 0; x < canvas.width; x += side) {
      const sum = [0, 0, 0]
      let pixels = 0
      for (let v = y; v < Math.min(y + side, canvas.height); v++)
        for (let u = x; u < Math.min(x + side, canvas.width); u++) {
          const at = 4 * (v * canvas.width + u)
          for (const channel of [0, 1, 2]) sum[channel] += data[at + channel]
          pixels++
        }
      blocks.push({ x, y, colour: sum.map(value => value / pixels) })
    }
  return blocks
}`

export const readPicture = (name: string) => readFileSync(findPicture(name))
