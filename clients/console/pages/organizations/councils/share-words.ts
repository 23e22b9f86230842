// The share that a motion needs, in words.

export function wordsOf(sign: string, share: string): string {
  return sign === '>' ? `more than ${share}` : `at least ${share}`
}

/** ">=2/3 of votes, >1/2 of seats" in words. */
export function shareWords(text: string): string {
  const [, sign, share] = /^(>=?)(\d+\/\d+)$/.exec(text) ?? []
  return sign && share ? wordsOf(sign, share) : text
}
