// What the words of a council weigh, where no model has counted them.

/** What the usual vocabularies need for a token of plain text. */
const bytes_per_token = 4

export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytes_per_token)
}
