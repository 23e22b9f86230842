// What somebody probably meant: the nearest of the names there are, and nothing where none is near.

/** Longer words are no slips of the finger, and the table below grows with their square. */
const word_chars_max = 64

export function nearest(word: string, names: readonly string[]): string | undefined {
  if (word === '' || word.length > word_chars_max) return undefined
  const wanted = word.toLowerCase()
  let best: string | undefined
  let best_steps = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const name of names) {
    const steps = stepsBetween(wanted, name.toLowerCase())
    if (steps < best_steps) [best, best_steps] = [name, steps]
  }
  return best
}

/** Letters to add, drop or change. */
function stepsBetween(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1]
    for (let j = 0; j < b.length; j++)
      row.push(Math.min(above[j]! + Number(a[i] !== b[j]), above[j + 1]! + 1, row[j]! + 1))
    above = row
  }
  return above[b.length]!
}
