// Suggests the nearest known name for a misspelled one.

/** Longer words are not compared, because the cost grows with the square. */
const word_chars_max = 64

export function nearest(word: string, names: Iterable<string>): string | undefined {
  if (word === '' || word.length > word_chars_max) return undefined
  const lower_word = word.toLowerCase()
  let best: string | undefined
  let best_distance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const name of names) {
    // Without its prefix: `audit_query` for `svc.max.audit_query`.
    if (name.toLowerCase().endsWith(`.${lower_word}`)) return name
    // The first letter is rarely wrong.
    const distance =
      distanceBetween(lower_word, name.toLowerCase()) + (isSameStart(lower_word, name) ? 0 : 0.5)
    if (distance < best_distance) [best, best_distance] = [name, distance]
  }
  return best ?? onlyOneBeginning(lower_word, names)
}

/** A sentence to append, or nothing. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const name = nearest(word, names)
  return name === undefined ? '' : ` Did you mean ${name}?`
}

function isSameStart(word: string, name: string): boolean {
  return word[0] === name[0]?.toLowerCase()
}

function onlyOneBeginning(word: string, names: Iterable<string>): string | undefined {
  const beginning = [...names].filter((name) => name.toLowerCase().startsWith(word))
  return beginning.length === 1 ? beginning[0] : undefined
}

/** Insertions, deletions, substitutions and transpositions. */
function distanceBetween(a: string, b: string): number {
  if (b.length > word_chars_max) return word_chars_max
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const is_swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = is_swap ? rows[i - 2]![j - 2]! + 1 : changed
      row.push(Math.min(changed, swapped, rows[i - 1]![j]! + 1, row[j - 1]! + 1))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
