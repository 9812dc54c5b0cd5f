// The only kind of error of this package.

/**
 * A file that cannot be read as evidence. The message names the file, the place, and what was expected there.
 */
export class EvidenceProblem extends Error {
  readonly file: string
  /**
   * A line, a JSON path or another position in the file; undefined if the problem concerns the whole file.
   */
  readonly place: string | undefined

  constructor(file: string, place: string | undefined, sentence: string) {
    super(`${place === undefined ? file : `${file}, ${place}`}: ${sentence}`)
    this.name = 'EvidenceProblem'
    this.file = file
    this.place = place
  }
}
