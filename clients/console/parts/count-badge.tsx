import { Badge } from '@mantine/core'

export const counted_max = 100

/** How much of something there is, beside its name; nothing for none. */
export function CountBadge({ count, meaning, color }: { count: number; meaning: string; color?: string }) {
  if (count === 0) return null
  const shown = count >= counted_max ? `${counted_max}+` : String(count)
  return (
    <Badge size="sm" circle={count < 10} aria-label={`${shown} ${meaning}`} {...(color && { color })}>
      {shown}
    </Badge>
  )
}
