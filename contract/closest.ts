// "Did you mean": the candidate nearest to the typed name, if it is near enough to be a typo.

const name_length_max = 64

export function closest(typed: string, candidates: readonly string[]): string | undefined {
  if (typed.length > name_length_max) return undefined
  let best: { name: string; distance: number } | undefined
  for (const name of candidates) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase())
    if (distance <= Math.max(1, Math.floor(name.length / 3)) && distance < (best?.distance ?? Infinity)) {
      best = { name, distance }
    }
  }
  return best?.name
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, replaced))
    }
    previous = row
  }
  return previous[b.length]!
}
