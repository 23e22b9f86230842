// Did you mean: the names that are a few slips of the finger away from what was written.

const name_length_max = 128
const suggestions_max = 3

/** Nearest first; none where everything is further away than a third of the word. */
export function nearest(written: string, names: Iterable<string>): string[] {
  const word = written.slice(0, name_length_max).toLowerCase()
  const allowed = Math.max(2, Math.floor(word.length / 3))
  const scored: { name: string; slips: number }[] = []
  for (const name of names) {
    const other = name.toLowerCase()
    const slips = other.endsWith(`.${word}`) ? 0 : slipsBetween(word, other, allowed)
    if (slips <= allowed) scored.push({ name, slips })
  }
  scored.sort((a, b) => a.slips - b.slips || (a.name < b.name ? -1 : 1))
  return scored.slice(0, suggestions_max).map(({ name }) => name)
}

/** Letters to add, drop or change; counting stops past `most`. */
function slipsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1))
    }
    if (Math.min(...next) > most) return most + 1
    row = next
  }
  return row[b.length]!
}
