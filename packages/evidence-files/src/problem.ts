// The one kind of error of this package.

/** A file that cannot be read as evidence. The message names the file and the place, and says what was expected. */
export class EvidenceProblem extends Error {
  readonly file: string
  /** A line, a JSON path or another position in the file; undefined if the problem is the file as a whole. */
  readonly place: string | undefined

  constructor(file: string, place: string | undefined, sentence: string) {
    super(`${place === undefined ? file : `${file}, ${place}`}: ${sentence}`)
    this.name = 'EvidenceProblem'
    this.file = file
    this.place = place
  }
}
