// What stands where there is nothing yet: what will appear there, and the one next step.

export interface EmptyWords {
  readonly says: string
  readonly step: string
}

export function Empty({ words: { says, step }, href }: { words: EmptyWords; href: string }) {
  return (
    <>
      {says} <a href={href}>{step}</a>.
    </>
  )
}
