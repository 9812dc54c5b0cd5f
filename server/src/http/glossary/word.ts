// How a word of the document is explained: a sentence, and an example where the shape alone gives none.

/** The sentence has no full stop at its end. */
export type Word = readonly [says: string, example?: unknown]

/** Property or parameter to its word. */
export type Words = Readonly<Record<string, Word>>

/** Schema to the words that mean something of their own in it. */
export type SchemaWords = Readonly<Record<string, Words>>
