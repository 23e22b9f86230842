// Prints the story.
let chapters = 0

export function chapter(title: string): void {
  chapters++
  console.log(`\n${chapters}. ${title}`)
}

export function tell(sentence: string): void {
  console.log(`   ${sentence}`)
}

/** Ledgers count in millionths. */
export function dollars(amount: number): string {
  return String(amount * 1_000_000)
}

const wait_ms_max = 60_000
const look_every_ms = 500

/** Waits for scheduled work of an engine. */
export async function soon<Value>(what: string, look: () => Promise<Value | undefined>): Promise<Value> {
  const until_ms = Date.now() + wait_ms_max
  for (;;) {
    const value = await look().catch((error: Error) => {
      if (Date.now() > until_ms) throw new Error(`${what} did not come: ${error.message}`)
      return undefined
    })
    if (value !== undefined) return value
    if (Date.now() > until_ms) throw new Error(`${what} did not come`)
    await new Promise((resolve) => setTimeout(resolve, look_every_ms))
  }
}
